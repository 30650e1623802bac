/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A TCP echo on port 7 by the chip's own sockets, on the W5500-EVB-Pico: its pins are those below. */
#include <stdio.h>

#include "hardware/gpio.h"
#include "pico/stdlib.h"
#include "wiznet_pico.h"
#include "wiznet_sockets.h"

#define INTERRUPT_PIN 21u
#define SOCKET 0u
#define PORT 7u
#define LOOK_US 1000u

static struct wiznet_pico board = {.spi = spi0, .miso = 16, .cs = 17, .sck = 18, .mosi = 19, .reset = 20};
static struct wiznet wiznet = {.chip = &wiznet_w5500, .port = &wiznet_pico_port, .context = &board};

/* Gives back what has come in, as far as there is room for it; the peer waits with the rest. */
static void echo(void) {
    static uint8_t bytes[512];
    for (;;) {
        size_t count = wiznet_socket_received(&wiznet, SOCKET),
               room = wiznet_socket_room(&wiznet, SOCKET, sizeof bytes);
        count = count < sizeof bytes ? count : sizeof bytes;
        count = count < room ? count : room;
        if (!count) {
            break;
        }
        wiznet_socket_read(&wiznet, SOCKET, bytes, count);
        wiznet_socket_write(&wiznet, SOCKET, bytes, count);
    }
    wiznet_socket_release(&wiznet, SOCKET);
    wiznet_socket_send(&wiznet, SOCKET);
}

static void serve(void) {
    enum wiznet_socket_state state;
    wiznet_socket_take_events(&wiznet, SOCKET, &state);
    if (state == WIZNET_SOCKET_OPEN || state == WIZNET_SOCKET_ENDED_BY_PEER) {
        echo();
    }
    if (state == WIZNET_SOCKET_ENDED_BY_PEER && !wiznet_socket_is_sending(&wiznet, SOCKET)) {
        wiznet_socket_disconnect(&wiznet, SOCKET);
    } else if (state == WIZNET_SOCKET_CLOSED) {
        wiznet_socket_listen(&wiznet, SOCKET, PORT);
    }
}

/* For the interrupt, or a millisecond: the end of a connection raises none. */
static void wait(void) {
    for (uint32_t from = time_us_32(); gpio_get(INTERRUPT_PIN) && time_us_32() - from < LOOK_US;) {
        tight_loop_contents();
    }
}

int main(void) {
    const uint8_t mac[6] = {0x02, 0, 0, 0x41, 0x57, 0x50}, own[4] = {192, 168, 1, 50}, mask[4] = {255, 255, 255, 0};
    stdio_init_all();
    gpio_init(INTERRUPT_PIN);
    gpio_pull_up(INTERRUPT_PIN);
    while (wiznet_start(&wiznet, 33000000, mac) != WIZNET_READY) {
        puts(wiznet_sentence(&wiznet, WIZNET_NO_CHIP));
        sleep_ms(1000);
    }
    wiznet_set_addresses(&wiznet,
                         &(struct wiznet_addresses){.address = wiznet_address(own), .mask = wiznet_address(mask)});
    wiznet_share_memory(&wiznet, 1);
    wiznet_socket_listen(&wiznet, SOCKET, PORT);
    wiznet_watch_sockets(&wiznet, 1u << SOCKET);
    for (;;) {
        serve();
        wait();
    }
}

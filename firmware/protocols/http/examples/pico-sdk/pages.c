/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Pages from flash on the Pico SDK, over the sockets of a W5500 (drivers/wiznet): the pins are those of the
 * W5500-EVB-Pico. `airwire fsdata FOLDER -o fsdata.c` makes the pages. It was compiled and tested against functions of
 * the SDK's signatures, and not run on a real board. */
#include <stdio.h>

#include "fsdata.h"
#include "http.h"
#include "pico/stdlib.h"
#include "wiznet_pico.h"
#include "wiznet_sockets.h"

#define SOCKETS 4u
#define PORT 80u

static struct wiznet_pico board = {.spi = spi0, .miso = 16, .cs = 17, .sck = 18, .mosi = 19, .reset = 20};
static struct wiznet wiznet = {.chip = &wiznet_w5500, .port = &wiznet_pico_port, .context = &board};
static struct fsdata files;
static const struct http_server server = {.files = &files};

/* A connection for each of the chip's sockets, and what came but was not taken yet. */
static struct client {
    struct http_connection http;
    uint8_t carry[96];
    size_t begin, end;
    bool is_open;
} clients[SOCKETS];

static uint32_t now_ms(void) { return to_ms_since_boot(get_absolute_time()); }

/* Whether everything that is to be sent now is in the chip. */
static bool send_pending(struct client *client, unsigned socket) {
    const uint8_t *bytes;
    size_t count;
    while ((count = http_pending(&client->http, &bytes)) > 0) {
        wiznet_socket_room(&wiznet, socket, count);
        size_t taken = wiznet_socket_write(&wiznet, socket, bytes, count);
        if (!taken) {
            return false;
        }
        http_sent(&client->http, taken, now_ms());
    }
    return true;
}

/* What has come in and was not taken yet; false when there is nothing. */
static bool refill(struct client *client, unsigned socket) {
    if (client->begin == client->end) {
        size_t count = wiznet_socket_received(&wiznet, socket);
        client->begin = 0;
        client->end = count < sizeof client->carry ? count : sizeof client->carry;
        wiznet_socket_read(&wiznet, socket, client->carry, client->end);
    }
    return client->begin != client->end;
}

/* The chip says goodbye to the peer by itself, and drops what still comes. */
static void pump(struct client *client, unsigned socket) {
    while (send_pending(client, socket) && !http_is_finished(&client->http) && refill(client, socket)) {
        client->begin +=
            http_receive(&client->http, client->carry + client->begin, client->end - client->begin, now_ms());
    }
    wiznet_socket_release(&wiznet, socket);
    if (wiznet_socket_send(&wiznet, socket) && http_is_finished(&client->http)) {
        wiznet_socket_disconnect(&wiznet, socket);
        client->is_open = false;
    }
}

static void serve(unsigned socket) {
    struct client *client = &clients[socket];
    enum wiznet_socket_state state;
    if (wiznet_socket_take_events(&wiznet, socket, &state) & WIZNET_SOCKET_CONNECTED) {
        client->is_open = true;
        client->begin = client->end = 0;
        http_open(&client->http, &server, now_ms());
    }
    if (client->is_open && (state == WIZNET_SOCKET_OPEN || state == WIZNET_SOCKET_ENDED_BY_PEER)) {
        const uint8_t *bytes;
        pump(client, socket);
        bool is_idle = !http_pending(&client->http, &bytes) && !wiznet_socket_is_sending(&wiznet, socket);
        if ((state == WIZNET_SOCKET_ENDED_BY_PEER && is_idle) || http_is_overdue(&client->http, now_ms())) {
            wiznet_socket_disconnect(&wiznet, socket);
            client->is_open = false;
        }
    } else if (state == WIZNET_SOCKET_CLOSED) {
        client->is_open = false;
        wiznet_socket_listen(&wiznet, socket, PORT);
    }
}

int main(void) {
    const uint8_t mac[6] = {0x02, 0, 0, 0x41, 0x57, 0x50}, own[4] = {192, 168, 1, 50}, mask[4] = {255, 255, 255, 0};
    stdio_init_all();
    if (fsdata_open(&files, fsdata_image, FSDATA_BYTES) != FSDATA_SOUND || http_missing_tag(&server)) {
        puts("The pages are damaged, or have a tag: this program has no values for tags.");
        return 1;
    }
    while (wiznet_start(&wiznet, 33000000, mac) != WIZNET_READY) {
        puts(wiznet_sentence(&wiznet, WIZNET_NO_CHIP));
        sleep_ms(1000);
    }
    wiznet_set_addresses(&wiznet,
                         &(struct wiznet_addresses){.address = wiznet_address(own), .mask = wiznet_address(mask)});
    wiznet_share_memory(&wiznet, SOCKETS);
    for (;;) {
        for (unsigned socket = 0; socket < SOCKETS; socket++) {
            serve(socket);
        }
    }
}

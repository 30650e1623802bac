/* The driver with an SPI on which anything may come: the input's bytes again and again, or one byte for ever. Whatever
 * the chip says, the driver stays in bounds and comes back, after no more transactions than its waits allow. The
 * compiler's options name the table of the chip: CHIP. */
#include <stdlib.h>

#include "simulated_bus.h"
#include "wiznet_frames.h"
#include "wiznet_sockets.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* A start waits for an answer for 100 ms, a look takes a microsecond at least. The W5100 has a transaction for each
 * byte: the longest of all is a memory of 16 KiB. */
#define MOST_TRANSACTIONS 200000u
#define BUFFER_BYTES 16384u

static const uint8_t *said;
static size_t said_count, said_at;
static struct simulated_bus bus;
static struct wiznet wiznet;

static uint8_t lie(void *context, unsigned place, uint8_t out) {
    (void)context;
    (void)place;
    (void)out;
    return said_count ? said[said_at++ % said_count] : 0;
}

static void came_back(void) {
    if (bus.transactions > MOST_TRANSACTIONS) {
        abort();
    }
    bus.transactions = 0;
}

static void check(bool is_right) {
    if (!is_right) {
        abort();
    }
}

static void use_socket(unsigned socket, uint8_t *buffer) {
    static uint8_t zeros[1460];
    enum wiznet_socket_state state;
    uint32_t address;
    uint16_t port;
    wiznet_socket_listen(&wiznet, socket, 80);
    came_back();
    wiznet_socket_connect(&wiznet, socket, 50000, 0x0101a8c0, 80);
    came_back();
    wiznet_socket_open_udp(&wiznet, socket, 53);
    for (unsigned turn = 0; turn < 4; turn++) {
        wiznet_socket_take_events(&wiznet, socket, &state);
        size_t received = wiznet_socket_received(&wiznet, socket);
        check(received <= BUFFER_BYTES);
        wiznet_socket_read(&wiznet, socket, buffer, received);
        wiznet_socket_release(&wiznet, socket);
        size_t room = wiznet_socket_room(&wiznet, socket, sizeof zeros);
        check(room <= BUFFER_BYTES);
        check(wiznet_socket_write(&wiznet, socket, zeros, sizeof zeros) <= room);
        wiznet_socket_send(&wiznet, socket);
        wiznet_socket_peer(&wiznet, socket, &address, &port);
        came_back();
    }
    wiznet_socket_disconnect(&wiznet, socket);
    wiznet_socket_close(&wiznet, socket);
    came_back();
}

static void use_frames(uint8_t *buffer) {
    wiznet_frames_open(&wiznet);
    came_back();
    for (unsigned frame = 0; frame < 8; frame++) {
        wiznet_frames_acknowledge(&wiznet);
        size_t size = wiznet_frames_next(&wiznet);
        check(size <= WIZNET_FRAMES_MOST_BYTES);
        wiznet_frames_read(&wiznet, buffer, WIZNET_FRAMES_AHEAD_BYTES, size);
        wiznet_frames_finish(&wiznet);
        came_back();
        wiznet_frames_write(&wiznet, buffer, 14, true);
        wiznet_frames_send(&wiznet);
        came_back();
        wiznet_frames_settle(&wiznet);
        came_back();
    }
}

/* As large as the largest memory, so that the sanitizer sees one byte more. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const uint8_t mac[6] = {2, 0, 0, 0x41, 0x57, 0x50};
    uint8_t *buffer = malloc(BUFFER_BYTES);
    wiznet = (struct wiznet){.chip = &CHIP, .port = &simulated_port, .context = &bus};
    unsigned used = count ? bytes[0] % wiznet_socket_count(&wiznet) + 1 : 1;
    said = count > 1 ? bytes + 1 : bytes;
    said_count = count > 1 ? count - 1 : count;
    said_at = 0;
    bus = (struct simulated_bus){.peer = lie};
    wiznet_start(&wiznet, 33300000, mac);
    came_back();
    wiznet_wait_until_ready(&wiznet, 20);
    came_back();
    wiznet_share_memory(&wiznet, used);
    for (unsigned socket = 0; socket < used; socket++) {
        use_socket(socket, buffer);
    }
    check(wiznet_interrupts(&wiznet) < 1u << wiznet_socket_count(&wiznet));
    use_frames(buffer);
    free(buffer);
    return 0;
}

/* The driver with an SPI on which anything may come: the input's bytes again and again, or one byte for ever. Whatever
 * the chip says, the driver stays in bounds and comes back, after no more transactions than its waits allow. */
#include <stdlib.h>

#include "board_simulation.h"
#include "frames.h"
#include "sockets.h"
#include "wiznet.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* A start waits for an answer for 100 ms, a look takes a microsecond at least. The W5100 has a transaction for each
 * byte: the longest of all is a memory of 16 KiB. */
#define MOST_TRANSACTIONS 200000u
#define BUFFER_BYTES 16384u

static const uint8_t *said;
static size_t said_count, said_at;

static uint8_t lie(unsigned place, uint8_t out) {
    (void)place;
    (void)out;
    return said_count ? said[said_at++ % said_count] : 0;
}

static void came_back(void) {
    if (board_transactions > MOST_TRANSACTIONS) {
        abort();
    }
    board_transactions = 0;
}

static void check(bool is_right) {
    if (!is_right) {
        abort();
    }
}

static void use_socket(unsigned socket, uint8_t *buffer) {
    static uint8_t zeros[1460];
    enum socket_state state;
    uint32_t address;
    uint16_t port;
    socket_listen(socket, 80);
    came_back();
    socket_connect(socket, 50000, 0x0101a8c0, 80);
    came_back();
    socket_open_udp(socket, 53);
    for (unsigned turn = 0; turn < 4; turn++) {
        socket_take_events(socket, &state);
        size_t received = socket_received(socket);
        check(received <= BUFFER_BYTES);
        socket_read(socket, buffer, received);
        socket_release(socket);
        size_t room = socket_room(socket, sizeof zeros);
        check(room <= BUFFER_BYTES);
        socket_write(socket, zeros, room < sizeof zeros ? room : sizeof zeros);
        socket_send(socket);
        socket_peer(socket, &address, &port);
        came_back();
    }
    socket_disconnect(socket);
    socket_close(socket);
    came_back();
}

static void use_frames(uint8_t *buffer) {
    frames_open();
    came_back();
    for (unsigned frame = 0; frame < 8; frame++) {
        frames_acknowledge();
        size_t size = frames_next();
        check(size <= FRAMES_MOST_BYTES);
        frames_read(buffer, FRAMES_AHEAD_BYTES, size);
        frames_finish();
        came_back();
        frames_write(buffer, 14, true);
        frames_send();
        came_back();
        frames_settle();
        came_back();
    }
}

/* As large as the largest memory, so that the sanitizer sees one byte more. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const uint8_t mac[6] = {2, 0, 0, 0x41, 0x57, 0x50};
    uint8_t *buffer = malloc(BUFFER_BYTES);
    unsigned used = count ? bytes[0] % socket_count() + 1 : 1;
    said = count > 1 ? bytes + 1 : bytes;
    said_count = count > 1 ? count - 1 : count;
    said_at = 0;
    board_begin(lie, NULL);
    wiznet_start(33300000, mac);
    came_back();
    wiznet_wait_until_ready(20);
    came_back();
    sockets_share_memory(used);
    for (unsigned socket = 0; socket < used; socket++) {
        use_socket(socket, buffer);
    }
    check(wiznet_interrupts() < 1u << socket_count());
    use_frames(buffer);
    free(buffer);
    return 0;
}

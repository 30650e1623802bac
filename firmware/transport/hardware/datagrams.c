/* Datagrams on the chip's own sockets: a port is one socket. */
#include <string.h>

#include "seats.h"

#define DATAGRAM_HEADER_BYTES 8u

/* The chip puts address, port and length before each datagram (datasheets, UDP receive). */
static void serve_datagrams(struct seat *seat) {
    static uint8_t bytes[DATAGRAM_MOST_BYTES];
    unsigned socket = seat_number(seat);
    for (size_t waiting = socket_received(socket); waiting >= DATAGRAM_HEADER_BYTES;) {
        uint8_t header[DATAGRAM_HEADER_BYTES];
        socket_read(socket, header, sizeof header);
        waiting -= sizeof header;
        struct endpoint from = {.port = (uint16_t)(header[4] << 8 | header[5])};
        memcpy(&from.address, header, 4);
        size_t count = (size_t)(header[6] << 8 | header[7]);
        if (count > waiting) { /* a reading while a datagram came in can be too small: now it is all there */
            waiting = socket_received(socket);
            count = count < waiting ? count : waiting;
        }
        socket_read(socket, count <= sizeof bytes ? bytes : NULL, count);
        waiting -= count;
        socket_release(socket);
        if (count <= sizeof bytes) {
            seat->datagrams.received(seat->datagrams.context, &from, bytes, count);
        }
    }
    socket_release(socket);
}

struct datagrams *network_bind(uint16_t port, datagram_user *received, void *context) {
    struct seat *seat = seat_free();
    if (!seat || !socket_open_udp(seat_number(seat), port)) {
        return NULL;
    }
    socket_watch(seat_number(seat), SOCKET_RECEIVED);
    seat->role = DATAGRAMS;
    seat->datagrams = (struct datagrams){received, context, {0, 0}};
    seat->has_datagrams = seat->must_send = seat->is_leaving = false;
    seat->serve_datagrams = serve_datagrams;
    return &seat->datagrams;
}

bool datagram_send(struct datagrams *datagrams, const struct endpoint *to, const uint8_t *bytes, size_t count) {
    struct seat *seat = (struct seat *)(void *)((char *)datagrams - offsetof(struct seat, datagrams));
    unsigned socket = seat_number(seat);
    enum socket_state state;
    if (socket_take_events(socket, &state) & SOCKET_RECEIVED) {
        seat->has_datagrams = true;
    }
    if (!socket_send(socket) || socket_room(socket, count) < count) {
        return false;
    }
    struct endpoint *peer = &datagrams->peer;
    if (peer->address != to->address || peer->port != to->port) {
        if (socket_is_sending(socket)) { /* to the peer before */
            return false;
        }
        *peer = *to;
        socket_set_peer(socket, to->address, to->port);
    }
    socket_write(socket, bytes, count);
    seat->must_send = !socket_send(socket);
    return true;
}

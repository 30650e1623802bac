/* Datagrams on the chip's own sockets: a port is one socket. */
#include "seats.h"

static void serve_datagrams(struct seat *seat) {
    static uint8_t bytes[DATAGRAM_MOST_BYTES];
    unsigned socket = seat_number(seat);
    for (size_t waiting = wiznet_socket_received(&board_wiznet, socket); waiting >= WIZNET_DATAGRAM_HEADER_BYTES;) {
        uint8_t header[WIZNET_DATAGRAM_HEADER_BYTES];
        wiznet_socket_read(&board_wiznet, socket, header, sizeof header);
        waiting -= sizeof header;
        struct endpoint from;
        size_t count = wiznet_datagram_header(&board_wiznet, header, &from.address, &from.port);
        if (count > waiting) { /* a reading while a datagram came in can be too small: now it is all there */
            waiting = wiznet_socket_received(&board_wiznet, socket);
            count = count < waiting ? count : waiting;
        }
        wiznet_socket_read(&board_wiznet, socket, count <= sizeof bytes ? bytes : NULL, count);
        waiting -= count;
        wiznet_socket_release(&board_wiznet, socket);
        if (count <= sizeof bytes) {
            seat->datagrams.received(seat->datagrams.context, &from, bytes, count);
        }
    }
    wiznet_socket_release(&board_wiznet, socket);
}

struct datagrams *network_bind(uint16_t port, datagram_user *received, void *context) {
    struct seat *seat = seat_free();
    if (!seat || !wiznet_socket_open_udp(&board_wiznet, seat_number(seat), port)) {
        return NULL;
    }
    wiznet_socket_watch(&board_wiznet, seat_number(seat), WIZNET_SOCKET_RECEIVED);
    seat->role = DATAGRAMS;
    seat->datagrams = (struct datagrams){received, context, {0, 0}};
    seat->has_datagrams = seat->must_send = seat->is_leaving = false;
    seat->serve_datagrams = serve_datagrams;
    return &seat->datagrams;
}

bool datagram_send(struct datagrams *datagrams, const struct endpoint *to, const uint8_t *bytes, size_t count) {
    struct seat *seat = (struct seat *)(void *)((char *)datagrams - offsetof(struct seat, datagrams));
    unsigned socket = seat_number(seat);
    enum wiznet_socket_state state;
    if (wiznet_socket_take_events(&board_wiznet, socket, &state) & WIZNET_SOCKET_RECEIVED) {
        seat->has_datagrams = true;
    }
    if (!wiznet_socket_send(&board_wiznet, socket) || wiznet_socket_room(&board_wiznet, socket, count) < count) {
        return false;
    }
    struct endpoint *peer = &datagrams->peer;
    if (peer->address != to->address || peer->port != to->port) {
        if (wiznet_socket_is_sending(&board_wiznet, socket)) { /* to the peer before */
            return false;
        }
        *peer = *to;
        wiznet_socket_set_peer(&board_wiznet, socket, to->address, to->port);
    }
    wiznet_socket_write(&board_wiznet, socket, bytes, count);
    seat->must_send = !wiznet_socket_send(&board_wiznet, socket);
    return true;
}

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The chip's own TCP and UDP. Pointers into its memories are kept here, so that a send costs three transactions and a
 * receive four. Counts that the chip reports are never believed beyond the size of its memories. */
#ifndef WIZNET_SOCKETS_H
#define WIZNET_SOCKETS_H

#include "wiznet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a socket stands, as its Sn_SR says. */
enum wiznet_socket_state {
    WIZNET_SOCKET_CLOSED,
    WIZNET_SOCKET_OPENING,
    WIZNET_SOCKET_LISTENING,
    WIZNET_SOCKET_OPEN,
    WIZNET_SOCKET_ENDED_BY_PEER,
    WIZNET_SOCKET_CLOSING
};

/* What has happened since it was last asked, an or of these. */
enum wiznet_socket_event {
    WIZNET_SOCKET_CONNECTED = 1,
    WIZNET_SOCKET_DISCONNECTED = 2,
    WIZNET_SOCKET_RECEIVED = 4,
    WIZNET_SOCKET_TIMED_OUT = 8,
    WIZNET_SOCKET_SENT = 16,
};

/* How many sockets there are: the chip's, or WIZNET_MOST_SOCKETS where those are fewer. Every `socket` below is
 * smaller. */
unsigned wiznet_socket_count(const struct wiznet *wiznet);
/* Gives the first `used` sockets (1 at least) the same share of the chip's memory, the others what they cannot do
 * without. It is to be called before any of them is opened. */
void wiznet_share_memory(struct wiznet *wiznet, unsigned used);

/* Each opens a closed socket anew; false when the chip does not follow within its time. */
bool wiznet_socket_listen(struct wiznet *wiznet, unsigned socket, uint16_t port);
bool wiznet_socket_connect(struct wiznet *wiznet, unsigned socket, uint16_t own_port, uint32_t address, uint16_t port);
bool wiznet_socket_open_udp(struct wiznet *wiznet, unsigned socket, uint16_t port);

/* Reads and clears Sn_IR, and reads Sn_SR. Returns an or of wiznet_socket_event. */
uint8_t wiznet_socket_take_events(struct wiznet *wiznet, unsigned socket, enum wiznet_socket_state *state);
/* Reads Sn_SR alone. */
enum wiznet_socket_state wiznet_socket_state(struct wiznet *wiznet, unsigned socket);
/* Which of wiznet_socket_event raise the interrupt. */
void wiznet_socket_watch(struct wiznet *wiznet, unsigned socket, uint8_t events);

/* How many bytes have come in; may be less than there are by now, never more. */
size_t wiznet_socket_received(struct wiznet *wiznet, unsigned socket);
/* Takes `count` of them, no more than wiznet_socket_received() said; `bytes` may be null to drop them. Their room is
 * free for the peer with wiznet_socket_release(). */
void wiznet_socket_read(struct wiznet *wiznet, unsigned socket, uint8_t *bytes, size_t count);
void wiznet_socket_release(struct wiznet *wiznet, unsigned socket);

/* What the chip puts before each datagram: whom it is from, and how many bytes follow. It is read like the datagram
 * itself. */
#define WIZNET_DATAGRAM_HEADER_BYTES 8u
static inline size_t wiznet_datagram_header(const struct wiznet *wiznet,
                                            const uint8_t header[WIZNET_DATAGRAM_HEADER_BYTES], uint32_t *address,
                                            uint16_t *port) {
    (void)wiznet; /* where the chip is known to the compiler */
    bool is_first = WIZNET_CHIP(wiznet)->tells_length_first;
    const uint8_t *peer = is_first ? header + 2 : header, *length = is_first ? header : header + 6;
    memcpy(address, peer, 4);
    *port = (uint16_t)(peer[4] << 8 | peer[5]);
    /* Where it comes first, its upper bits say of which kind the address is. */
    return (size_t)((is_first ? length[0] & 7u : length[0]) << 8 | length[1]);
}

/* How many bytes can be written; at least `wanted` of them where the chip has the room. */
size_t wiznet_socket_room(struct wiznet *wiznet, unsigned socket, size_t wanted);
/* Writes behind what was written since the last wiznet_socket_send(), which sends all of it. Returns how many bytes it
 * took: never more than there is room for, as wiznet_socket_room() last saw it. */
size_t wiznet_socket_write(struct wiznet *wiznet, unsigned socket, const uint8_t *bytes, size_t count);
/* False while the send before is not over: then it is to be asked again when WIZNET_SOCKET_SENT has come. False as well
 * where the chip does not take the command: then it is to be asked again at once. What was written waits meanwhile. */
bool wiznet_socket_send(struct wiznet *wiznet, unsigned socket);
/* Whether what wiznet_socket_send() sent last is on its way still. */
bool wiznet_socket_is_sending(struct wiznet *wiznet, unsigned socket);
/* Where the next datagrams go. */
void wiznet_socket_set_peer(struct wiznet *wiznet, unsigned socket, uint32_t address, uint16_t port);
/* Whom a listening socket is connected with. */
void wiznet_socket_peer(struct wiznet *wiznet, unsigned socket, uint32_t *address, uint16_t *port);

/* Says to the peer that nothing more comes. */
void wiznet_socket_disconnect(struct wiznet *wiznet, unsigned socket);
/* Forgets the connection. */
void wiznet_socket_close(struct wiznet *wiznet, unsigned socket);

#ifdef __cplusplus
}
#endif

#endif

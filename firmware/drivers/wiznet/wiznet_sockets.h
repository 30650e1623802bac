/* The chip's own TCP and UDP. Pointers into its memories are kept here, so that a send costs three transactions and a
 * receive four. Counts that the chip reports are never believed beyond the size of its memories. */
#ifndef WIZNET_SOCKETS_H
#define WIZNET_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a socket stands, as its Sn_SR says. */
enum socket_state {
    SOCKET_CLOSED,
    SOCKET_OPENING,
    SOCKET_LISTENING,
    SOCKET_OPEN,
    SOCKET_ENDED_BY_PEER,
    SOCKET_CLOSING
};

/* What has happened since it was last asked, an or of these. */
enum socket_event {
    SOCKET_CONNECTED = 1,
    SOCKET_DISCONNECTED = 2,
    SOCKET_RECEIVED = 4,
    SOCKET_TIMED_OUT = 8,
    SOCKET_SENT = 16,
};

unsigned socket_count(void);
/* Gives the first `used` sockets the same share of the chip's memory, the others what they cannot do without. Before
 * any is opened. */
void sockets_share_memory(unsigned used);

/* Each opens a closed socket anew; false when the chip does not follow within its time. */
bool socket_listen(unsigned socket, uint16_t port);
bool socket_connect(unsigned socket, uint16_t own_port, uint32_t address, uint16_t port);
bool socket_open_udp(unsigned socket, uint16_t port);

/* Reads and clears Sn_IR, and reads Sn_SR. */
uint8_t socket_take_events(unsigned socket, enum socket_state *state);
/* Sn_SR alone. */
enum socket_state socket_state(unsigned socket);
/* Which of socket_event raise the interrupt. */
void socket_watch(unsigned socket, uint8_t events);

/* How many bytes have come in; may be less than there are by now, never more. */
size_t socket_received(unsigned socket);
/* Takes `count` of them, of which no more than socket_received() said; `bytes` may be null to drop them. The room is
 * free for the peer with socket_release(). */
void socket_read(unsigned socket, uint8_t *bytes, size_t count);
void socket_release(unsigned socket);

/* How many bytes can be written; at least `wanted` of them where the chip has the room. */
size_t socket_room(unsigned socket, size_t wanted);
/* Writes behind what was written since the last socket_send(), which sends all of it. Returns how many bytes it took:
 * never more than socket_room() last said there is room for. */
size_t socket_write(unsigned socket, const uint8_t *bytes, size_t count);
/* False while the send before is not over: then it is to be asked again when SOCKET_SENT has come. False as well where
 * the chip does not take the command: then at once. What was written waits meanwhile. */
bool socket_send(unsigned socket);
bool socket_is_sending(unsigned socket);
/* Where the next datagrams go. */
void socket_set_peer(unsigned socket, uint32_t address, uint16_t port);
/* Whom a listening socket is connected with. */
void socket_peer(unsigned socket, uint32_t *address, uint16_t *port);

/* Says to the peer that nothing more comes. */
void socket_disconnect(unsigned socket);
/* Forgets the connection. */
void socket_close(unsigned socket);

#endif

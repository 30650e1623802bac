/* TCP of the small stack (RFC 9293): one connection at a time, whose two directions have a ring of bytes each. Who asks
 * for a second one meanwhile hears nothing, so that it asks again. */
#ifndef TCP_H
#define TCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What has happened to the connection since it was last asked, an or of these. */
enum tcp_event {
    TCP_OPENED = 1,
    TCP_RECEIVED = 2,
    TCP_SENT = 4,
    TCP_ENDED = 8, /* the peer sends nothing more */
    TCP_RESET = 16,
    TCP_REFUSED = 32,
};

/* Forgets the connection and every port. */
void tcp_begin(void);
/* Whether connections to a port are taken from here on; false where it is one already, or one too many. */
bool tcp_listen(uint16_t port);
/* Begins a connection; false where there is one. */
bool tcp_connect(uint32_t address, uint16_t port);
uint8_t tcp_take_events(void);
uint16_t tcp_own_port(void);
void tcp_peer(uint32_t *address, uint16_t *port);

/* As much as has come in; `bytes` may be null to drop it. */
uint16_t tcp_read(uint8_t *bytes, size_t capacity);
/* As much as there is room for. */
uint16_t tcp_write(const uint8_t *bytes, size_t count);
uint16_t tcp_room(void);
/* Sends what was written, then says that nothing more comes; what still comes in is dropped. */
void tcp_close(void);
void tcp_abort(void);

#endif

/* UDP of the small stack (RFC 768): ports, each with a function for what comes in. */
#ifndef UDP_H
#define UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called with a datagram that stands in the frame, until the next frame is made there. */
typedef void udp_user(void *context, uint32_t from, uint16_t from_port, const uint8_t *bytes, size_t count);

/* Forgets every port. */
void udp_begin(void);
/* Null where there is no room for one more port. */
struct udp_port *udp_bind(uint16_t port, udp_user *user, void *context);
/* Puts a datagram into the frame, where its bytes may stand already. Returns the frame's bytes; 0 where it is too long,
 * or where it is not known yet who is to get it: then that is asked for. */
size_t udp_write(const struct udp_port *port, uint32_t to, uint16_t to_port, const uint8_t *bytes, size_t count);

#endif

/* How a connection of lwIP is closed. */
#ifndef LINGER_H
#define LINGER_H

struct tcp_pcb;

/* Takes a connection from its user: what was written is sent, then the end. What the peer still sends is dropped for a
 * while: lwIP resets a connection that is closed with bytes unread, and the peer would lose what it has not read yet
 * (RFC 9112, 9.6). */
void linger_and_close(struct tcp_pcb *pcb);

#endif

/* What the parts of this transport know of each other. */
#ifndef POSIX_H
#define POSIX_H

#include <netinet/in.h>
#include <stdint.h>

/* A socket of the loopback interface that does not wait; -1 when there is none, or when the port is taken. */
int posix_socket(int type, uint16_t port);
struct sockaddr_in posix_name(uint32_t address, uint16_t port);

#define POSIX_PORTS 8u
/* The socket of a UDP port by its place; -1 where there is none. */
int posix_datagrams_socket(unsigned n);
void posix_datagrams_receive(unsigned n);
void posix_datagrams_close(void);

#endif

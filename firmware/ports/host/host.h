/* What the parts of this port know of each other. */
#ifndef HOST_H
#define HOST_H

#include <netinet/in.h>
#include <stdint.h>

/* A file descriptor that is readable when host_pins_read() has something to do; -1 for none. */
int host_pins_open(void);
void host_pins_read(void);

/* A socket of the loopback interface that does not wait; -1 when there is none, or when the port is taken. */
int host_socket(int type, uint16_t port);
struct sockaddr_in host_name(uint32_t address, uint16_t port);

#define HOST_PORTS 8u
/* The socket of a UDP port by its place; -1 where there is none. */
int host_datagrams_socket(unsigned n);
void host_datagrams_receive(unsigned n);
void host_datagrams_close(void);

#endif

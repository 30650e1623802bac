/* The UDP ports of network.h on a PC. */
#define _POSIX_C_SOURCE 200809L
#include <sys/socket.h>
#include <unistd.h>

#include "network.h"
#include "posix.h"

struct datagrams {
    int socket;
    datagram_user *received;
    void *context;
    bool is_used;
};
static struct datagrams ports[POSIX_PORTS];

struct datagrams *network_bind(uint16_t port, datagram_user *received, void *context) {
    for (unsigned n = 0; n < POSIX_PORTS; n++) {
        if (!ports[n].is_used) {
            int socket = posix_socket(SOCK_DGRAM, port);
            if (socket < 0) {
                return NULL;
            }
            ports[n] = (struct datagrams){socket, received, context, true};
            return &ports[n];
        }
    }
    return NULL;
}

bool datagram_send(struct datagrams *datagrams, const struct endpoint *to, const uint8_t *bytes, size_t count) {
    struct sockaddr_in name = posix_name(to->address, to->port);
    return sendto(datagrams->socket, bytes, count, 0, (struct sockaddr *)&name, sizeof name) == (ssize_t)count;
}

int posix_datagrams_socket(unsigned n) { return ports[n].is_used ? ports[n].socket : -1; }

void posix_datagrams_receive(unsigned n) {
    struct datagrams *datagrams = &ports[n];
    static uint8_t bytes[DATAGRAM_MOST_BYTES + 1];
    struct sockaddr_in name;
    socklen_t size = sizeof name;
    ssize_t count = recvfrom(datagrams->socket, bytes, sizeof bytes, 0, (struct sockaddr *)&name, &size);
    if (count >= 0 && count <= (ssize_t)DATAGRAM_MOST_BYTES) {
        struct endpoint from = {name.sin_addr.s_addr, ntohs(name.sin_port)};
        datagrams->received(datagrams->context, &from, bytes, (size_t)count);
    }
}

void posix_datagrams_close(void) {
    for (unsigned n = 0; n < POSIX_PORTS; n++) {
        if (ports[n].is_used) {
            close(ports[n].socket);
        }
    }
}

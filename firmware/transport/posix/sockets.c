/* Sockets of the loopback interface, as streams and datagrams use them. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network.h"
#include "posix.h"

struct sockaddr_in posix_name(uint32_t address, uint16_t port) {
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = address};
}

int posix_socket(int type, uint16_t port) {
    int opened = socket(AF_INET, type, 0), on = 1;
    struct sockaddr_in name = posix_name(htonl(INADDR_LOOPBACK), port);
    setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (opened >= 0 && (fcntl(opened, F_SETFL, O_NONBLOCK) || bind(opened, (struct sockaddr *)&name, sizeof name))) {
        close(opened);
        return -1;
    }
    return opened;
}

uint32_t network_address(void) { return htonl(INADDR_LOOPBACK); }

/* An HTTP server that does as little as one can: each request that ends gets the same short page over a connection that
 * stays open. One thread, epoll: for loads that are to find no limit but the client's. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static const char page[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n\r\nHello board\n";

static void answer(int fd)
{
    char request[4096];
    const ssize_t count = recv(fd, request, sizeof request, 0);
    if (count <= 0) {
        close(fd);
        return;
    }
    for (const char *at = request, *end = request + count; (at = memmem(at, (size_t)(end - at), "\r\n\r\n", 4)); at += 4) {
        send(fd, page, sizeof page - 1, MSG_NOSIGNAL);
    }
}

int main(int argc, char **argv)
{
    const struct sockaddr_in at = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)atoi(argc > 1 ? argv[1] : "8080")),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    const int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1, ready = epoll_create1(0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (const struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 128) != 0) {
        perror("http_server");
        return 1;
    }
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(ready, EPOLL_CTL_ADD, listener, &wanted);
    for (;;) {
        struct epoll_event events[64];
        const int count = epoll_wait(ready, events, 64, -1);
        for (int place = 0; place < count; place++) {
            if (events[place].data.fd != listener) {
                answer(events[place].data.fd);
                continue;
            }
            wanted.data.fd = accept(listener, NULL, NULL);
            setsockopt(wanted.data.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            epoll_ctl(ready, EPOLL_CTL_ADD, wanted.data.fd, &wanted);
        }
    }
}

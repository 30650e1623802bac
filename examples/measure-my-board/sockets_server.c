/* A ping-pong server on sockets as lwIP, Zephyr and POSIX have them: answers each number with the next one. */
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef PORT
#define PORT 5000
#endif

static void serve(int connection)
{
    char text[24];
    ssize_t count;
    while ((count = recv(connection, text, sizeof text - 1, 0)) > 0) {
        text[count] = '\0';
        const int length = snprintf(text, sizeof text, "%" PRIuMAX, strtoumax(text, NULL, 10) + 1);
        if (send(connection, text, (size_t)length, 0) != length) {
            return;
        }
    }
}

int main(void)
{
    const int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (const struct sockaddr *)&any, sizeof any) != 0 || listen(listener, 1) != 0) {
        perror("ping-pong server");
        return 1;
    }
    for (;;) {
        const int connection = accept(listener, NULL, NULL);
        /* Without it an answer may wait for the acknowledgement of the one before (RFC 896). */
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        serve(connection);
        close(connection);
    }
}

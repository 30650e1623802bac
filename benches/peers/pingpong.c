/* Ping-pong over TCP as a plain C program has it: `pingpong server PORT` answers each decimal number with the next one, and
 * `pingpong client PORT ROUNDS` prints the median and the 99.9 % quantile of its round trips in nanoseconds. Blocking calls,
 * one connection, Nagle's algorithm off. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void no_delay(int fd)
{
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static int serve(const struct sockaddr_in *at)
{
    const int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (const struct sockaddr *)at, sizeof *at) != 0 || listen(listener, 16) != 0) {
        perror("pingpong server");
        return 1;
    }
    for (;;) {
        const int fd = accept(listener, NULL, NULL);
        char text[32];
        ssize_t count;
        no_delay(fd);
        while ((count = recv(fd, text, sizeof text - 1, 0)) > 0) {
            text[count] = '\0';
            const int length = snprintf(text, sizeof text, "%" PRIuMAX, strtoumax(text, NULL, 10) + 1);
            send(fd, text, (size_t)length, MSG_NOSIGNAL);
        }
        close(fd);
    }
}

static int ask(const struct sockaddr_in *at, int rounds)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    int64_t *const times = malloc((size_t)rounds * sizeof *times);
    if (times == NULL || connect(fd, (const struct sockaddr *)at, sizeof *at) != 0) {
        perror("pingpong client");
        return 1;
    }
    no_delay(fd);
    uintmax_t number = 1;
    for (int round = 0; round < rounds; round++) {
        char text[32];
        const int length = snprintf(text, sizeof text, "%" PRIuMAX, number);
        const int64_t begun = now_ns();
        if (send(fd, text, (size_t)length, 0) != length) {
            return 1;
        }
        const ssize_t count = recv(fd, text, sizeof text - 1, 0);
        times[round] = now_ns() - begun;
        if (count <= 0) {
            return 1;
        }
        text[count] = '\0';
        number = strtoumax(text, NULL, 10) + 1;
    }
    qsort(times, (size_t)rounds, sizeof *times, by_value);
    printf("%" PRId64 " %" PRId64 "\n", times[rounds / 2], times[(int64_t)rounds * 999 / 1000]);
    free(times);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "pingpong server PORT, or pingpong client PORT ROUNDS\n");
        return 2;
    }
    const struct sockaddr_in at = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)atoi(argv[2])),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    return strcmp(argv[1], "server") == 0 ? serve(&at) : ask(&at, argc > 3 ? atoi(argv[3]) : 10000);
}

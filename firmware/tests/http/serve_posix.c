/* The HTTP server on this machine's sockets, for tests with real clients: serve_posix IMAGE.
 *
 * Serves the image on a free port of the loopback interface and prints the port. Connections beyond the limit are told
 * so with 503. It is the smallest transport: http.h's loop over poll(), and a moment of reading after the last answer.
 */
#define _POSIX_C_SOURCE 200809L
#include "http.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTION_LIMIT 8
#define BUFFER_BYTES 1460
#define LINGER_MS 1000u
#define IMAGE_LIMIT_BYTES (16u << 20)

struct client {
    int socket; /* -1: free */
    bool is_ending;
    bool has_ended; /* the client sends no more */
    uint32_t ending_ms;
    size_t kept_bytes;
    uint8_t kept[BUFFER_BYTES];
    struct http_connection connection;
};

static struct client clients[CONNECTION_LIMIT];
static struct fsdata files;
static unsigned requests;
static char last_name[32];

static uint32_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

static size_t copy_part(const char *text, size_t offset, char *out, size_t capacity) {
    size_t left = strlen(text) - offset;
    size_t count = left < capacity ? left : capacity;
    memcpy(out, text + offset, count);
    return count;
}

static size_t write_greeting(void *context, size_t offset, char *out, size_t capacity) {
    (void)context;
    return copy_part("Hello", offset, out, capacity);
}

static size_t write_counter(void *context, size_t offset, char *out, size_t capacity) {
    (void)context;
    char text[16];
    requests += offset == 0;
    snprintf(text, sizeof text, "%u", requests);
    return copy_part(text, offset, out, capacity);
}

/* A board has an ADC here. */
static size_t write_voltage(void *context, size_t offset, char *out, size_t capacity) {
    (void)context;
    char text[16];
    snprintf(text, sizeof text, "1.%02u", requests % 100);
    return copy_part(text, offset, out, capacity);
}

static size_t write_temperature(void *context, size_t offset, char *out, size_t capacity) {
    (void)context;
    return copy_part("24.5", offset, out, capacity);
}

static void take_name(void *context, struct http_request *request, const struct http_parameter *parameter) {
    (void)context, (void)request;
    if (strcmp(parameter->name, "name") == 0) {
        snprintf(last_name, sizeof last_name, "%s", parameter->value);
    }
}

static void answer_name(void *context, struct http_request *request, struct http_answer *answer) {
    (void)context;
    if (request->method == HTTP_POST) {
        answer->status = HTTP_SEE_OTHER;
        answer->header = HTTP_LOCATION("/name");
    } else {
        answer->header = HTTP_CONTENT_TYPE("text/plain; charset=utf-8");
        answer->write = write_greeting;
    }
}

static size_t write_name(void *context, size_t offset, char *out, size_t capacity) {
    (void)context;
    return copy_part(last_name, offset, out, capacity);
}

static void answer_last_name(void *context, struct http_request *request, struct http_answer *answer) {
    (void)context, (void)request;
    answer->header = HTTP_CONTENT_TYPE("text/plain; charset=utf-8");
    answer->write = write_name;
}

static const struct http_tag tags[] = {
    {"counter", write_counter},
    {"greeting", write_greeting},
    {"temperature", write_temperature},
    {"voltage", write_voltage},
};
static const struct http_handler handlers[] = {
    {"/name", HTTP_GET | HTTP_POST, take_name, answer_name},
    {"/last-name", HTTP_GET, NULL, answer_last_name},
};
static const struct http_server server = {&files, tags, handlers, NULL, 4, 2};

static void release(struct client *client) {
    close(client->socket);
    client->socket = -1;
}

static void welcome(int listener) {
    int socket = accept(listener, NULL, NULL);
    if (socket < 0) {
        return;
    }
    fcntl(socket, F_SETFL, O_NONBLOCK);
    /* An answer goes out in pieces: the next must not wait until the client has acknowledged the last. */
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    for (size_t n = 0; n < CONNECTION_LIMIT; n++) {
        if (clients[n].socket < 0) {
            memset(&clients[n], 0, sizeof clients[n]);
            clients[n].socket = socket;
            http_open(&clients[n].connection, &server, now_ms());
            return;
        }
    }
    const uint8_t *answer;
    size_t bytes = http_busy_answer(&answer);
    if (write(socket, answer, bytes) >= 0) {
        shutdown(socket, SHUT_WR);
    }
    close(socket);
}

static void take_kept(struct client *client) {
    size_t taken = http_receive(&client->connection, client->kept, client->kept_bytes, now_ms());
    client->kept_bytes -= taken;
    memmove(client->kept, client->kept + taken, client->kept_bytes);
}

static void receive(struct client *client) {
    ssize_t count = read(client->socket, client->kept + client->kept_bytes, BUFFER_BYTES - client->kept_bytes);
    if (count > 0) {
        client->kept_bytes += (size_t)count;
    } else {
        client->has_ended = true;
    }
}

/* Sends what there is as long as the socket takes it, and lets in the next request between two answers. */
static void transmit(struct client *client) {
    const uint8_t *pending;
    size_t count;
    take_kept(client);
    while ((count = http_pending(&client->connection, &pending)) != 0) {
        ssize_t sent = send(client->socket, pending, count, MSG_NOSIGNAL);
        if (sent <= 0) {
            return;
        }
        http_sent(&client->connection, (size_t)sent, now_ms());
        take_kept(client);
    }
}

static void look_after(struct client *client, short events) {
    if (events & (POLLIN | POLLHUP | POLLERR)) {
        receive(client);
    }
    transmit(client);
    const uint8_t *pending;
    bool is_idle = http_pending(&client->connection, &pending) == 0;
    if (http_is_finished(&client->connection) && !client->is_ending) {
        shutdown(client->socket, SHUT_WR);
        client->is_ending = true;
        client->ending_ms = now_ms();
    }
    if ((client->has_ended && is_idle) || (events & POLLERR) || http_is_overdue(&client->connection, now_ms()) ||
        (client->is_ending && now_ms() - client->ending_ms > LINGER_MS)) {
        release(client);
    }
}

static void serve(int listener) {
    struct pollfd polled[CONNECTION_LIMIT + 1] = {{.fd = listener, .events = POLLIN}};
    for (size_t n = 0; n < CONNECTION_LIMIT; n++) {
        const uint8_t *pending;
        struct client *client = &clients[n];
        bool is_sending = client->socket >= 0 && http_pending(&client->connection, &pending) != 0;
        bool has_room = client->kept_bytes < BUFFER_BYTES && !client->has_ended;
        polled[n + 1] = (struct pollfd){.fd = client->socket,
                                        .events = (short)((is_sending ? POLLOUT : 0) | (has_room ? POLLIN : 0))};
    }
    poll(polled, CONNECTION_LIMIT + 1, 50);
    for (size_t n = 0; n < CONNECTION_LIMIT; n++) {
        if (clients[n].socket >= 0) {
            look_after(&clients[n], polled[n + 1].revents);
        }
    }
    if (polled[0].revents & POLLIN) {
        welcome(listener);
    }
}

static void *load(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    void *image = malloc(IMAGE_LIMIT_BYTES);
    if (file == NULL || image == NULL) {
        perror(path);
        exit(2);
    }
    *bytes = fread(image, 1, IMAGE_LIMIT_BYTES, file);
    fclose(file);
    return image;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: serve_posix IMAGE\n");
        return 2;
    }
    size_t bytes;
    void *image = load(argv[1], &bytes);
    if (fsdata_open(&files, image, bytes) != FSDATA_SOUND || !fsdata_is_intact(&files)) {
        fprintf(stderr, "%s: this is no sound image; make it with airwire fsdata\n", argv[1]);
        return 2;
    }
    for (size_t n = 0; n < CONNECTION_LIMIT; n++) {
        clients[n].socket = -1;
    }
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 64) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        perror("the loopback interface");
        return 2;
    }
    printf("%u\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        serve(listener);
    }
}

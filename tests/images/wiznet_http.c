/* A server on the chip's own sockets: HTTP/1.1 on port 80 (/ has 137 bytes, /big 20480), TCP echo and UDP echo on port 7,
 * where there are eight sockets TCP discard on port 9. All sockets that those leave listen on port 80. Nothing is asked of the chip while
 * nothing happens: the processor sleeps until INTn, and wakes each millisecond only while a connection closes. */
#include "http_request.h"
#include "wiznet.h"

/* Four sockets are too few for all: a client that opens its next connection at once needs two that listen. */
#define OTHERS (CHIP_SOCKETS > 4 ? 3u : 2u)
#define HTTP_PORT 80u
#define ECHO_PORT 7u
#define DISCARD_PORT 9u
#define BIG_BYTES 20480u
#define LINE_BYTES 64u
#define PIECE_BYTES 1472u
#define UDP_HEADER_BYTES 8u
#define HEAD_BYTES 128u
#define SLEEP_US 1000000u
#define CLOSING_SLEEP_US 1000u
#define CLOSING_LIMIT_US 1000000u
#define TELL_EVERY 1000u
#define MOST_ROUNDS 16u

enum service { HTTP, ECHO, DISCARD, UDP_ECHO };

struct connection {
    enum service service;
    int sending, closing, close_after;
    uint32_t closing_since;
    char head[HEAD_BYTES];
    uint32_t head_bytes;
    const char *body;
    uint32_t body_bytes;
    struct http_request request;
};

static const char page[] = "<!DOCTYPE html>\n<title>Airwire</title>\n<p>This page comes from an RP2040 and a chip that speaks "
                           "TCP/IP.\n<p><a href=/big>A large page</a>\n";
_Static_assert(sizeof page - 1 == 137, "the page has 137 bytes");
static char big[BIG_BYTES];
static uint8_t piece[UDP_HEADER_BYTES + PIECE_BYTES];
static struct connection connections[CHIP_SOCKETS];
static uint32_t requests;

static enum service service_of(uint32_t socket) {
    static const enum service others[] = {UDP_ECHO, ECHO, DISCARD};
    uint32_t from_end = CHIP_SOCKETS - 1 - socket;
    return from_end < OTHERS ? others[from_end] : HTTP;
}

static void open_again(uint32_t socket) {
    struct connection *connection = &connections[socket];
    static const uint16_t ports[] = {HTTP_PORT, ECHO_PORT, DISCARD_PORT, ECHO_PORT};
    uint8_t mode = connection->service == UDP_ECHO ? MR_UDP : MR_TCP;
    connection->sending = connection->closing = connection->close_after = 0;
    connection->head_bytes = connection->body_bytes = 0;
    http_reset(&connection->request);
    uint8_t status = socket_open(socket, mode, ports[connection->service]);
    if (status != (mode == MR_UDP ? SR_UDP : SR_INIT)) {
        give_up("a socket does not open");
    }
    if (mode == MR_TCP) {
        socket_command(socket, CR_LISTEN);
    }
}

static void send(uint32_t socket) {
    socket_command(socket, CR_SEND);
    connections[socket].sending = 1;
}

static void finish_connection(uint32_t socket) {
    socket_command(socket, CR_DISCON);
    connections[socket].closing = 1;
    connections[socket].closing_since = time_us();
}

/* As much of an answer as there is room for. */
static void send_answer(uint32_t socket) {
    struct connection *connection = &connections[socket];
    uint32_t room = socket_room(socket) - connection->head_bytes;
    uint32_t count = connection->body_bytes < room ? connection->body_bytes : room;
    if (connection->head_bytes) {
        socket_put(socket, connection->head, connection->head_bytes);
        connection->head_bytes = 0;
    }
    if (count) {
        socket_put(socket, connection->body, count);
        connection->body += count;
        connection->body_bytes -= count;
    }
    send(socket);
}

static void prepare_answer(struct connection *connection) {
    struct http_answer answer = http_answer(&connection->request);
    uint32_t body_bytes = 0;
    if (answer.status == 200) {
        connection->body = answer.big ? big : page;
        body_bytes = answer.big ? BIG_BYTES : sizeof page - 1;
    }
    connection->head_bytes = http_head(connection->head, &answer, body_bytes);
    connection->body_bytes = answer.only_head ? 0 : body_bytes;
    connection->close_after = answer.close;
    if (++requests % TELL_EVERY == 0) {
        put_named("requests", requests);
    }
}

static void serve_http(uint32_t socket) {
    struct connection *connection = &connections[socket];
    while (!connection->sending) {
        if (connection->head_bytes || connection->body_bytes) {
            send_answer(socket);
        } else if (connection->close_after) {
            finish_connection(socket);
            return;
        } else if (http_take_request(&connection->request)) {
            prepare_answer(connection);
        } else {
            uint32_t room = http_room(&connection->request), count = socket_received(socket);
            count = count < room ? count : room;
            if (!count) {
                return;
            }
            socket_get(socket, http_end(&connection->request), count);
            socket_command(socket, CR_RECV);
            http_received(&connection->request, count);
        }
    }
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void serve_echo(uint32_t socket) {
    uint32_t count = connections[socket].sending ? 0 : smaller(socket_received(socket), PIECE_BYTES);
    count = count ? smaller(count, socket_room(socket)) : 0;
    if (count) {
        socket_get(socket, piece, count);
        socket_command(socket, CR_RECV);
        socket_put(socket, piece, count);
        send(socket);
    }
}

static void serve_discard(uint32_t socket) {
    for (uint32_t round = 0, count; round < MOST_ROUNDS && (count = socket_received(socket)); round++) {
        socket_get(socket, piece, smaller(count, sizeof piece));
        socket_command(socket, CR_RECV);
    }
}

static void serve_udp_echo(uint32_t socket) {
    if (connections[socket].sending || socket_received(socket) < UDP_HEADER_BYTES) {
        return;
    }
    socket_get(socket, piece, UDP_HEADER_BYTES);
    uint32_t count = (uint32_t)(piece[6] << 8 | piece[7]);
    if (count > PIECE_BYTES) {
        open_again(socket);
        return;
    }
    uint32_t address = ADDRESS(piece[0], piece[1], piece[2], piece[3]);
    uint16_t port = (uint16_t)(piece[4] << 8 | piece[5]);
    socket_get(socket, piece, count);
    socket_command(socket, CR_RECV);
    write32(Sn_DIPR(socket), address);
    write16(Sn_DPORT(socket), port);
    socket_put(socket, piece, count);
    send(socket);
}

static void serve_data(uint32_t socket) {
    static void (*const serve[])(uint32_t) = {serve_http, serve_echo, serve_discard, serve_udp_echo};
    serve[connections[socket].service](socket);
}

/* The peer has sent its last; what it sent before is answered first. */
static void serve_peers_end(uint32_t socket) {
    struct connection *connection = &connections[socket];
    if (!connection->closing && !connection->sending && !connection->body_bytes && !socket_received(socket)) {
        finish_connection(socket);
    }
}

static void serve(uint32_t socket) {
    struct connection *connection = &connections[socket];
    uint8_t interrupts = socket_take_interrupts(socket);
    if (interrupts & (IR_SENDOK | IR_TIMEOUT)) {
        connection->sending = 0;
    }
    uint8_t status = read8(Sn_SR(socket));
    int overdue = connection->closing && time_us() - connection->closing_since > CLOSING_LIMIT_US;
    if (status == SR_CLOSED || status == SR_TIME_WAIT || overdue) {
        open_again(socket);
    } else if (status == SR_UDP || (!connection->closing && (status == SR_ESTABLISHED || status == SR_CLOSE_WAIT))) {
        serve_data(socket);
    }
    if (status == SR_CLOSE_WAIT) {
        serve_peers_end(socket);
    }
}

static void start(void) {
    for (uint32_t index = 0; index < BIG_BYTES; index++) {
        big[index] = (char)(index % LINE_BYTES == LINE_BYTES - 1 ? '\n' : 'a' + (index / LINE_BYTES + index) % 26);
    }
    wiznet_begin();
    uint32_t pages = 0;
    for (uint32_t socket = 0; socket < CHIP_SOCKETS; socket++) {
        connections[socket].service = service_of(socket);
        pages += connections[socket].service == HTTP;
        open_again(socket);
    }
    wiznet_interrupts_start();
    put_text(OTHERS == 3 ? "TCP: 80 HTTP, 7 echo, 9 discard; UDP: 7 echo\n" : "TCP: 80 HTTP, 7 echo; UDP: 7 echo\n");
    put_named("sockets for HTTP", pages);
}

int main(void) {
    start();
    for (;;) {
        int closing = 0;
        for (uint32_t socket = 0; socket < CHIP_SOCKETS; socket++) {
            closing |= connections[socket].closing;
        }
        wiznet_sleep(closing ? CLOSING_SLEEP_US : SLEEP_US);
        uint32_t interrupts = read8(SIR);
        for (uint32_t socket = 0; socket < CHIP_SOCKETS; socket++) {
            if (interrupts >> socket & 1 || connections[socket].closing) {
                serve(socket);
            }
        }
    }
}

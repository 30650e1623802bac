/* Implementation of tcp.h but for segments: the connection, its ports, and what an application asks of it. */
#include "tcp.h"

#include "connection.h"
#include "frame.h"
#include "ip.h"
#include "random.h"

#ifndef SMALL_LISTENERS
#define SMALL_LISTENERS 4u
#endif
#define FIRST_OWN_PORT 49152u

struct connection tcp;
static uint8_t sent_memory[SMALL_RING_BYTES], received_memory[SMALL_RING_BYTES];
struct ring sent = {sent_memory, SMALL_RING_BYTES, 0, 0};
struct ring received = {received_memory, SMALL_RING_BYTES, 0, 0};
static uint16_t listeners[SMALL_LISTENERS], next_port = FIRST_OWN_PORT;

void connection_fail(uint8_t event) {
    tcp.phase = CLOSED;
    tcp.timer_runs = false;
    if (!tcp.is_reader_gone) {
        tcp.events |= event;
    }
}

void connection_begin(enum phase phase, uint32_t peer, uint16_t peer_port, uint16_t own_port) {
    memset(&tcp, 0, sizeof tcp);
    ring_clear(&sent);
    ring_clear(&received);
    tcp.phase = phase;
    tcp.peer = peer;
    tcp.peer_port = peer_port;
    tcp.own_port = own_port;
    tcp.unacknowledged = tcp.next = tcp.most = random_word();
}

bool connection_listens(uint16_t port) {
    for (uint8_t n = 0; n < SMALL_LISTENERS; n++) {
        if (listeners[n] == port && port) {
            return true;
        }
    }
    return false;
}

static void add(void) {
    static const struct ip_protocol protocol = {PROTOCOL_TCP, tcp_input, tcp_output, tcp_wait_ms};
    ip_add(&protocol);
}

void tcp_begin(void) {
    memset(listeners, 0, sizeof listeners);
    connection_begin(CLOSED, 0, 0, 0);
}

bool tcp_listen(uint16_t port) {
    if (connection_listens(port)) {
        return false;
    }
    for (uint8_t n = 0; n < SMALL_LISTENERS; n++) {
        if (!listeners[n]) {
            listeners[n] = port;
            add();
            return true;
        }
    }
    return false;
}

bool tcp_connect(uint32_t address, uint16_t port) {
    if ((tcp.phase != CLOSED && tcp.phase != TIME_WAIT) || tcp.events || tcp.must_reset) {
        return false;
    }
    add();
    connection_begin(SYN_SENT, address, port, next_port);
    next_port = next_port == UINT16_MAX ? FIRST_OWN_PORT : (uint16_t)(next_port + 1u);
    return true;
}

uint8_t tcp_take_events(void) {
    uint8_t events = tcp.events;
    tcp.events = 0;
    return events;
}

uint16_t tcp_own_port(void) { return tcp.own_port; }

void tcp_peer(uint32_t *address, uint16_t *port) {
    *address = tcp.peer;
    *port = tcp.peer_port;
}

/* A window that was too small for a segment is told to have grown as soon as one fits (RFC 9293 3.8.6.2.2). */
uint16_t tcp_read(uint8_t *bytes, size_t capacity) {
    uint16_t count = capacity < received.count ? (uint16_t)capacity : received.count;
    bool was_small = ring_room(&received) < OWN_MSS;
    if (bytes) {
        ring_peek(&received, 0, bytes, count);
    }
    ring_drop(&received, count);
    if (was_small && ring_room(&received) >= OWN_MSS && tcp.phase == OPEN) {
        tcp.must_acknowledge = true;
    }
    return count;
}

uint16_t tcp_write(const uint8_t *bytes, size_t count) {
    return tcp.is_closing || tcp.phase != OPEN ? 0 : ring_put(&sent, bytes, count);
}

uint16_t tcp_room(void) { return tcp.is_closing || tcp.phase != OPEN ? 0 : ring_room(&sent); }

void tcp_close(void) {
    tcp.is_reader_gone = tcp.is_closing = true;
    tcp.events = 0;
    ring_clear(&received);
    if (tcp.phase == SYN_SENT || tcp.phase == SYN_RECEIVED) {
        tcp.must_reset = true;
    }
}

void tcp_abort(void) {
    tcp.is_reader_gone = true;
    tcp.events = 0;
    tcp.must_reset = tcp.phase != CLOSED && tcp.phase != TIME_WAIT;
}

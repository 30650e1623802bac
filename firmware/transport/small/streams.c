/* Streams of network.h on the small stack's one connection. */
#include "loop.h"
#include "network.h"
#include "tcp.h"

#ifndef SMALL_LISTENERS
#define SMALL_LISTENERS 4u
#endif
#define PIECE_BYTES 32u

static struct stream stream;
static bool is_used, wants_room;
static struct {
    uint16_t port;
    const struct stream_user *user;
} listeners[SMALL_LISTENERS];

static void serve(void);

const bool network_tells_again = false;

bool network_listen(uint16_t port, const struct stream_user *user) {
    for (uint8_t n = 0; n < SMALL_LISTENERS; n++) {
        if (!listeners[n].user) {
            if (!tcp_listen(port)) {
                return false;
            }
            listeners[n].port = port;
            listeners[n].user = user;
            loop_serve_by(serve);
            return true;
        }
    }
    return false;
}

static void take(const struct stream_user *user, void *context) {
    stream.user = user;
    stream.context = context;
    stream.own_port = tcp_own_port();
    is_used = true;
    wants_room = false;
}

struct stream *network_connect(uint32_t address, uint16_t port, const struct stream_user *user, void *context) {
    if (is_used || !tcp_connect(address, port)) {
        return NULL;
    }
    take(user, context);
    loop_serve_by(serve);
    return &stream;
}

size_t stream_read(struct stream *one, void *bytes, size_t capacity) {
    (void)one;
    return tcp_read(bytes, capacity);
}

size_t stream_write(struct stream *one, const void *bytes, size_t count) {
    (void)one;
    size_t taken = tcp_write(bytes, count);
    wants_room = wants_room || taken < count;
    return taken;
}

/* Flash has an address space of its own, which the ring does not read from. */
size_t stream_write_constant(struct stream *one, const NETWORK_CONSTANT void *bytes, size_t count) {
    const NETWORK_CONSTANT uint8_t *from = bytes;
    uint8_t piece[PIECE_BYTES];
    size_t room = tcp_room(), all = count < room ? count : room;
    for (size_t at = 0, some; at < all; at += some) {
        some = all - at < PIECE_BYTES ? all - at : PIECE_BYTES;
        for (size_t n = 0; n < some; n++) {
            piece[n] = from[at + n];
        }
        stream_write(one, piece, some);
    }
    wants_room = wants_room || all < count;
    return all;
}

size_t stream_room(struct stream *one) {
    (void)one;
    return tcp_room();
}

void stream_close(struct stream *one) {
    (void)one;
    is_used = false;
    tcp_close();
}

void stream_abort(struct stream *one) {
    (void)one;
    is_used = false;
    tcp_abort();
}

void stream_peer(struct stream *one, uint32_t *address, uint16_t *port) {
    (void)one;
    tcp_peer(address, port);
}

static void tell_end(enum stream_end how) {
    if (how != STREAM_ENDED) {
        is_used = false;
    }
    if (stream.user->ended) {
        stream.user->ended(&stream, how);
    }
}

static bool accept_one(void) {
    for (uint8_t n = 0; n < SMALL_LISTENERS; n++) {
        if (listeners[n].user && listeners[n].port == tcp_own_port()) {
            take(listeners[n].user, NULL);
            return true;
        }
    }
    return false;
}

/* In the order of the other ways: opened, bytes, room, end. A stream that its application closes hears no more. */
static void serve(void) {
    uint8_t events = tcp_take_events();
    if (events & TCP_OPENED) {
        if (!is_used && !accept_one()) {
            tcp_abort();
            return;
        }
        if (stream.user->opened) {
            stream.user->opened(&stream);
        }
    }
    if (is_used && events & TCP_RECEIVED && stream.user->readable) {
        stream.user->readable(&stream);
    }
    if (is_used && events & TCP_SENT && wants_room) {
        wants_room = false;
        if (stream.user->writable) {
            stream.user->writable(&stream);
        }
    }
    if (is_used && events & TCP_ENDED) {
        tell_end(STREAM_ENDED);
    }
    if (is_used && events & (TCP_RESET | TCP_REFUSED)) {
        tell_end(events & TCP_RESET ? STREAM_RESET : STREAM_REFUSED);
    }
}

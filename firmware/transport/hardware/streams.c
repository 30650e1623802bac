/* Streams on the chip's own sockets. */
#include "clock.h"
#include "random.h"
#include "seats.h"
#include "watch.h"

/* Own ports of connections are dynamic ones (RFC 6335, section 6). The first is one of so many by chance, so that the
 * peer does not take a connection for one from before a reset. */
#define FIRST_DYNAMIC_PORT 49152u
#define FIRST_PORT_CHOICES 16000u
/* How long a socket takes leave: its peer may never end. */
#define LEAVING_LIMIT_MS 5000u

_Static_assert(offsetof(struct seat, stream) == 0, "a stream is found by its seat");

static struct seat *seat_of(struct stream *stream) { return (struct seat *)(void *)stream; }

static void begin(struct seat *seat) {
    seat->is_open = seat->has_ended = seat->wants_room = seat->is_closing = seat->is_leaving = seat->must_send = false;
    wiznet_socket_watch(&board_wiznet, seat_number(seat),
                        WIZNET_SOCKET_CONNECTED | WIZNET_SOCKET_DISCONNECTED | WIZNET_SOCKET_RECEIVED |
                            WIZNET_SOCKET_TIMED_OUT);
}

static bool listen_again(struct seat *seat) {
    begin(seat);
    seat->stream.context = NULL;
    return wiznet_socket_listen(&board_wiznet, seat_number(seat), seat->port);
}

static uint16_t next_own_port(void) {
    static uint16_t last;
    bool is_first = last < FIRST_DYNAMIC_PORT || last == UINT16_MAX;
    last = is_first ? (uint16_t)(FIRST_DYNAMIC_PORT + random_word() % FIRST_PORT_CHOICES) : (uint16_t)(last + 1u);
    return last;
}

/* One socket takes one connection. */
bool network_listen(uint16_t port, const struct stream_user *user) {
    struct seat *seat = seat_free();
    if (!seat) {
        return false;
    }
    seat->role = LISTENER;
    seat->port = seat->stream.own_port = port;
    seat->stream.user = user;
    return listen_again(seat);
}

struct stream *network_connect(uint32_t address, uint16_t port, const struct stream_user *user, void *context) {
    struct seat *seat = seat_free();
    if (!seat) {
        return NULL;
    }
    seat->stream = (struct stream){user, context, next_own_port()};
    begin(seat);
    if (!wiznet_socket_connect(&board_wiznet, seat_number(seat), seat->stream.own_port, address, port)) {
        return NULL;
    }
    seat->role = CLIENT;
    return &seat->stream;
}

const bool network_tells_again = false;

size_t stream_read(struct stream *stream, void *bytes, size_t capacity) {
    unsigned socket = seat_number(seat_of(stream));
    size_t count = wiznet_socket_received(&board_wiznet, socket);
    count = count < capacity ? count : capacity;
    if (count) {
        wiznet_socket_read(&board_wiznet, socket, bytes, count);
    }
    return count;
}

size_t stream_write(struct stream *stream, const void *bytes, size_t count) {
    struct seat *seat = seat_of(stream);
    size_t room = wiznet_socket_room(&board_wiznet, seat_number(seat), count);
    if (count > room) {
        seat->wants_room = true;
        count = room;
    }
    if (count) {
        wiznet_socket_write(&board_wiznet, seat_number(seat), bytes, count);
        watch_look_soon();
    }
    return count;
}

size_t stream_write_constant(struct stream *stream, const void *bytes, size_t count) {
    return stream_write(stream, bytes, count);
}

size_t stream_room(struct stream *stream) { return wiznet_socket_room(&board_wiznet, seat_number(seat_of(stream)), 1); }

void stream_peer(struct stream *stream, uint32_t *address, uint16_t *port) {
    wiznet_socket_peer(&board_wiznet, seat_number(seat_of(stream)), address, port);
}

static void free_or_listen(struct seat *seat) {
    if (seat->role == LISTENER) {
        listen_again(seat);
    } else {
        seat->role = FREE;
    }
}

void stream_abort(struct stream *stream) {
    wiznet_socket_close(&board_wiznet, seat_number(seat_of(stream)));
    free_or_listen(seat_of(stream));
}

/* What is written goes out first: Sn_SR says when the chip is done. */
void stream_close(struct stream *stream) {
    struct seat *seat = seat_of(stream);
    seat->is_closing = true;
    seat->is_open = false;
}

static void finish_closing(struct seat *seat) {
    unsigned socket = seat_number(seat);
    if (wiznet_socket_send(&board_wiznet, socket)) {
        wiznet_socket_disconnect(&board_wiznet, socket);
        seat->is_closing = seat->must_send = false;
        seat->has_ended = seat->is_leaving = true;
        seat->leaving_from_ms = clock_ms();
    }
}

static void end(struct seat *seat, enum stream_end how) {
    bool was_ours = seat->is_open;
    seat->is_open = false;
    if (was_ours && seat->stream.user->ended) {
        seat->stream.user->ended(&seat->stream, how);
    }
    free_or_listen(seat);
}

static void open_stream(struct seat *seat) {
    seat->is_open = true;
    if (seat->stream.user->opened) {
        seat->stream.user->opened(&seat->stream);
    }
}

void stream_serve(struct seat *seat, uint8_t events, enum wiznet_socket_state state) {
    const struct stream_user *user = seat->stream.user;
    unsigned socket = seat_number(seat);
    if (events & WIZNET_SOCKET_CONNECTED) {
        open_stream(seat);
    }
    if (seat->is_open && (events & WIZNET_SOCKET_RECEIVED) && user->readable) {
        user->readable(&seat->stream);
    }
    if (seat->is_open && seat->wants_room && wiznet_socket_room(&board_wiznet, socket, 1)) {
        seat->wants_room = false;
        if (user->writable) {
            user->writable(&seat->stream);
        }
    }
    wiznet_socket_release(&board_wiznet, socket);
    if (seat->is_closing) {
        finish_closing(seat);
    } else if (seat->is_open) {
        seat->must_send = !wiznet_socket_send(&board_wiznet, socket);
    }
    if (state == WIZNET_SOCKET_CLOSED) {
        bool was_opening = seat->role == CLIENT && !seat->is_open && !seat->has_ended && !seat->is_closing;
        seat->is_open = seat->is_open || was_opening;
        end(seat, was_opening ? STREAM_REFUSED : events & WIZNET_SOCKET_TIMED_OUT ? STREAM_RESET : STREAM_CLOSED);
    } else if (state == WIZNET_SOCKET_ENDED_BY_PEER && seat->is_open && !seat->has_ended) {
        seat->has_ended = true;
        if (user->ended) {
            user->ended(&seat->stream, STREAM_ENDED);
        }
    } else if (seat->is_leaving && clock_ms() - seat->leaving_from_ms >= LEAVING_LIMIT_MS) {
        wiznet_socket_close(&board_wiznet, socket);
        free_or_listen(seat);
    }
}

void streams_flush(void) {
    for (unsigned n = 0; n < seats_in_all(); n++) {
        if (seats[n].role != FREE && seats[n].role != DATAGRAMS && seats[n].is_open) {
            seats[n].must_send = !wiznet_socket_send(&board_wiznet, n);
        }
    }
}

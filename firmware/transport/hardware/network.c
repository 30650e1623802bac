/* Streams and datagrams on the chip's own sockets: each is one socket, and so is each port that is listened on, while
 * nobody is connected. */
#include "network.h"

#include <string.h>

#include "clock.h"
#include "console.h"
#include "interrupt.h"
#include "network_settings.h"
#include "pools.h"
#include "random.h"
#include "report.h"
#include "sockets.h"
#include "spi.h"
#include "watch.h"
#include "watchdog.h"
#include "wiznet.h"

#ifndef NETWORK_SOCKETS
#define NETWORK_SOCKETS 8u
#endif
/* The longest sleep: the link may have gone. */
#define LONGEST_SLEEP_MS 500u
#define READY_LOOK_MS 100u
#define DATAGRAM_HEADER_BYTES 8u
/* How often a socket that takes leave is looked at, and for how long: its peer may never end. */
#define LEAVING_LOOK_US 1000u
#define LEAVING_LIMIT_MS 5000u

enum role { FREE, LISTENER, CLIENT, DATAGRAMS };

struct datagrams {
    datagram_user *received;
    void *context;
    struct endpoint peer; /* as the chip has it */
};

static struct seat {
    struct stream stream;
    struct datagrams datagrams;
    /* Set by network_bind(), so that images without UDP have none of its code. */
    void (*serve_datagrams)(struct seat *);
    uint16_t port;
    uint8_t role;
    bool is_open, has_ended, wants_room, is_closing;
    /* datagram_send() has taken the event that said so; what is written waits, as what was before has not left. */
    bool has_datagrams, must_send;
    /* Since then the chip takes leave of the peer; no interrupt tells when it is done. */
    bool is_leaving;
    uint32_t leaving_from_ms;
} seats[NETWORK_SOCKETS];

static uint16_t next_port;
static bool tick_is_due, has_tick = true;
static uint32_t tick_at_ms;

static unsigned number_of(const struct seat *seat) { return (unsigned)(seat - seats); }

static struct seat *seat_of(struct stream *stream) { return (struct seat *)(void *)stream; }

_Static_assert(offsetof(struct seat, stream) == 0, "a stream is found by its seat");

static unsigned seats_in_all(void) { return socket_count() < NETWORK_SOCKETS ? socket_count() : NETWORK_SOCKETS; }

static struct seat *free_seat(void) {
    for (unsigned n = 0; n < seats_in_all(); n++) {
        if (seats[n].role == FREE) {
            return &seats[n];
        }
    }
    return NULL;
}

static void watch(const struct seat *seat) {
    socket_watch(number_of(seat), SOCKET_CONNECTED | SOCKET_DISCONNECTED | SOCKET_RECEIVED | SOCKET_TIMED_OUT);
}

static bool listen_again(struct seat *seat) {
    seat->is_open = seat->has_ended = seat->wants_room = seat->is_closing = seat->is_leaving = seat->must_send = false;
    seat->stream.context = NULL;
    watch(seat);
    return socket_listen(number_of(seat), seat->port);
}

/* One socket takes one connection: a port gets as many as are free, but leaves one for each port to come. */
bool network_listen(uint16_t port, const struct stream_user *user) {
    struct seat *seat = free_seat();
    if (!seat) {
        return false;
    }
    seat->role = LISTENER;
    seat->port = seat->stream.own_port = port;
    seat->stream.user = user;
    return listen_again(seat);
}

struct stream *network_connect(uint32_t address, uint16_t port, const struct stream_user *user, void *context) {
    struct seat *seat = free_seat();
    if (!seat) {
        return NULL;
    }
    next_port =
        next_port < 49152u || next_port == 65535u ? (uint16_t)(49152u + random_word() % 16000u) : next_port + 1u;
    seat->stream = (struct stream){user, context, next_port};
    seat->is_open = seat->has_ended = seat->wants_room = seat->is_closing = seat->is_leaving = seat->must_send = false;
    watch(seat);
    if (!socket_connect(number_of(seat), next_port, address, port)) {
        return NULL;
    }
    seat->role = CLIENT;
    return &seat->stream;
}

size_t stream_read(struct stream *stream, void *bytes, size_t capacity) {
    unsigned socket = number_of(seat_of(stream));
    size_t count = socket_received(socket);
    count = count < capacity ? count : capacity;
    if (count) {
        socket_read(socket, bytes, count);
    }
    return count;
}

size_t stream_write(struct stream *stream, const void *bytes, size_t count) {
    struct seat *seat = seat_of(stream);
    size_t room = socket_room(number_of(seat), count);
    if (count > room) {
        seat->wants_room = true;
        count = room;
    }
    if (count) {
        socket_write(number_of(seat), bytes, count);
        watch_look_soon();
    }
    return count;
}

size_t stream_write_constant(struct stream *stream, const void *bytes, size_t count) {
    return stream_write(stream, bytes, count);
}

size_t stream_room(struct stream *stream) { return socket_room(number_of(seat_of(stream)), 1); }

void stream_peer(struct stream *stream, uint32_t *address, uint16_t *port) {
    socket_peer(number_of(seat_of(stream)), address, port);
}

static void free_or_listen(struct seat *seat) {
    if (seat->role == LISTENER) {
        listen_again(seat);
    } else {
        seat->role = FREE;
    }
}

void stream_abort(struct stream *stream) {
    socket_close(number_of(seat_of(stream)));
    free_or_listen(seat_of(stream));
}

/* What is written goes out first: Sn_SR says when the chip is done. */
void stream_close(struct stream *stream) {
    struct seat *seat = seat_of(stream);
    seat->is_closing = true;
    seat->is_open = false;
}

static void finish_closing(struct seat *seat) {
    unsigned socket = number_of(seat);
    if (socket_send(socket)) {
        socket_disconnect(socket);
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

/* Everything that a socket's events mean for its stream. */
static void serve_stream(struct seat *seat, uint8_t events, enum socket_state state) {
    const struct stream_user *user = seat->stream.user;
    unsigned socket = number_of(seat);
    if (events & SOCKET_CONNECTED) {
        open_stream(seat);
    }
    if (seat->is_open && (events & SOCKET_RECEIVED) && user->readable) {
        user->readable(&seat->stream);
    }
    if (seat->is_open && seat->wants_room && socket_room(socket, 1)) {
        seat->wants_room = false;
        if (user->writable) {
            user->writable(&seat->stream);
        }
    }
    socket_release(socket);
    if (seat->is_closing) {
        finish_closing(seat);
    } else if (seat->is_open) {
        seat->must_send = !socket_send(socket);
    }
    if (state == SOCKET_CLOSED) {
        bool was_opening = seat->role == CLIENT && !seat->is_open && !seat->has_ended && !seat->is_closing;
        seat->is_open = seat->is_open || was_opening;
        end(seat, was_opening ? STREAM_REFUSED : events & SOCKET_TIMED_OUT ? STREAM_RESET : STREAM_CLOSED);
    } else if (state == SOCKET_ENDED_BY_PEER && seat->is_open && !seat->has_ended) {
        seat->has_ended = true;
        if (user->ended) {
            user->ended(&seat->stream, STREAM_ENDED);
        }
    } else if (seat->is_leaving && clock_ms() - seat->leaving_from_ms >= LEAVING_LIMIT_MS) {
        socket_close(socket);
        free_or_listen(seat);
    }
}

/* The chip puts address, port and length before each datagram (datasheets, UDP receive). */
static void serve_datagrams(struct seat *seat) {
    static uint8_t bytes[DATAGRAM_MOST_BYTES];
    unsigned socket = number_of(seat);
    for (size_t waiting = socket_received(socket); waiting >= DATAGRAM_HEADER_BYTES;) {
        uint8_t header[DATAGRAM_HEADER_BYTES];
        socket_read(socket, header, sizeof header);
        waiting -= sizeof header;
        struct endpoint from = {.port = (uint16_t)(header[4] << 8 | header[5])};
        memcpy(&from.address, header, 4);
        size_t count = (size_t)(header[6] << 8 | header[7]);
        if (count > waiting) { /* a reading while a datagram came in can be too small: now it is all there */
            waiting = socket_received(socket);
            count = count < waiting ? count : waiting;
        }
        socket_read(socket, count <= sizeof bytes ? bytes : NULL, count);
        waiting -= count;
        socket_release(socket);
        if (count <= sizeof bytes) {
            seat->datagrams.received(seat->datagrams.context, &from, bytes, count);
        }
    }
    socket_release(socket);
}

struct datagrams *network_bind(uint16_t port, datagram_user *received, void *context) {
    struct seat *seat = free_seat();
    if (!seat || !socket_open_udp(number_of(seat), port)) {
        return NULL;
    }
    socket_watch(number_of(seat), SOCKET_RECEIVED);
    seat->role = DATAGRAMS;
    seat->datagrams = (struct datagrams){received, context, {0, 0}};
    seat->has_datagrams = seat->must_send = seat->is_leaving = false;
    seat->serve_datagrams = serve_datagrams;
    return &seat->datagrams;
}

bool datagram_send(struct datagrams *datagrams, const struct endpoint *to, const uint8_t *bytes, size_t count) {
    struct seat *seat = (struct seat *)(void *)((char *)datagrams - offsetof(struct seat, datagrams));
    unsigned socket = number_of(seat);
    enum socket_state state;
    if (socket_take_events(socket, &state) & SOCKET_RECEIVED) {
        seat->has_datagrams = true;
    }
    if (!socket_send(socket) || socket_room(socket, count) < count) {
        return false;
    }
    struct endpoint *peer = &datagrams->peer;
    if (peer->address != to->address || peer->port != to->port) {
        if (socket_is_sending(socket)) { /* to the peer before */
            return false;
        }
        *peer = *to;
        socket_set_peer(socket, to->address, to->port);
    }
    socket_write(socket, bytes, count);
    seat->must_send = !socket_send(socket);
    return true;
}

bool network_is_ready(void) { return wiznet_query() == WIZNET_READY; }

const char *network_sentence(void) { return wiznet_sentence(wiznet_query()); }

uint32_t network_address(void) { return setting_address; }

void network_call_soon(void) { tick_is_due = true; }

/* A socket that nobody uses listens, or is closed where it waits for nobody. */
void pools_report(void) {
    unsigned used = 0, amiss = 0;
    for (unsigned n = 0; n < seats_in_all(); n++) {
        const struct seat *seat = &seats[n];
        if (seat->role == FREE || seat->role == DATAGRAMS) {
            continue;
        }
        if (seat->is_open || seat->has_ended || seat->is_closing || seat->is_leaving || seat->role == CLIENT) {
            used++;
        } else if (socket_state(n) != SOCKET_LISTENING) {
            amiss++;
        }
    }
    console_named("STREAMS", used);
    console_named("DEAF_SOCKETS", amiss);
}

/* Streams that wait for room or close are looked at without an event: the chip has none for "there is room". */
static bool needs_a_look(const struct seat *seat) {
    return seat->is_closing || seat->wants_room || seat->has_datagrams || seat->must_send;
}

static bool has_something_to_look_at(void) {
    for (unsigned n = 0; n < seats_in_all(); n++) {
        if (seats[n].role != FREE && needs_a_look(&seats[n])) {
            return true;
        }
    }
    return false;
}

static bool is_any_leaving(void) {
    for (unsigned n = 0; n < seats_in_all(); n++) {
        if (seats[n].role != FREE && seats[n].is_leaving) {
            return true;
        }
    }
    return false;
}

static void serve(uint32_t calling) {
    for (unsigned n = 0; n < seats_in_all(); n++) {
        struct seat *seat = &seats[n];
        if (seat->role == FREE || !(calling >> n & 1u || needs_a_look(seat) || seat->is_leaving)) {
            continue;
        }
        enum socket_state state;
        uint8_t events = socket_take_events(n, &state);
        if (seat->role == DATAGRAMS) {
            seat->has_datagrams = false;
            seat->must_send = !socket_send(n);
            seat->serve_datagrams(seat);
        } else {
            serve_stream(seat, events, state);
        }
    }
}

static uint32_t milliseconds_to_tick(void) {
    uint32_t left = tick_at_ms - clock_ms();
    if (tick_is_due || (has_tick && (int32_t)left <= 0)) {
        return 0;
    }
    return has_tick && left < LONGEST_SLEEP_MS ? left : LONGEST_SLEEP_MS;
}

static void flush_all(void) {
    for (unsigned n = 0; n < seats_in_all(); n++) {
        if (seats[n].role != FREE && seats[n].role != DATAGRAMS && seats[n].is_open) {
            seats[n].must_send = !socket_send(n);
        }
    }
}

static void call_tick(void) {
    tick_is_due = false;
    uint32_t now_ms = clock_ms();
    uint32_t wait_ms = application.tick ? application.tick(now_ms) : NETWORK_NEVER;
    tick_at_ms = now_ms + (wait_ms < INT32_MAX ? wait_ms : INT32_MAX);
    has_tick = wait_ms != NETWORK_NEVER;
    flush_all();
}

static void sleep_until_called(void) {
    uint32_t limit_us = milliseconds_to_tick() * 1000u;
    if (is_any_leaving() && limit_us > LEAVING_LOOK_US) {
        limit_us = LEAVING_LOOK_US;
    }
    uint32_t held = interrupts_hold();
    uint32_t quiet_us = watch_quiet_us(limit_us);
    if (quiet_us && !tick_is_due) {
        clock_sleep(quiet_us);
    }
    interrupts_release(held);
}

static void start(void) {
    clock_start();
    console_start(setting_console_baud);
    if (setting_watchdog_ms) {
        watchdog_start(setting_watchdog_ms);
    }
    const uint8_t mac[6] = NETWORK_MAC;
    enum wiznet_fault fault = wiznet_start(setting_spi_hz, mac);
    report_start("the chip's own sockets", wiznet_chip_name(), wiznet_spi_hz());
    spi_set_dma_from(setting_spi_dma_from_bytes);
    if (fault == WIZNET_READY) {
        sockets_share_memory(seats_in_all());
        wiznet_set_addresses(&(struct wiznet_addresses){setting_address, setting_mask, setting_gateway});
    }
    watch_start(setting_wiznet_int, setting_wiznet_poll_us, setting_wiznet_poll_raster);
}

/* A board without a cable is not one that hangs: the watchdog is fed meanwhile. */
static void wait_until_ready(void) {
    uint32_t from = clock_ms();
    for (;;) {
        watchdog_feed();
        enum wiznet_fault fault = wiznet_wait_until_ready(READY_LOOK_MS);
        if (fault == WIZNET_READY) {
            return;
        }
        if (clock_ms() - from >= setting_ready_limit_ms) {
            from = clock_ms();
            report_problem(wiznet_sentence(fault));
        }
    }
}

int main(void) {
    start();
    wait_until_ready();
    wiznet_watch_sockets((1u << seats_in_all()) - 1u);
    report_ready();
    tick_at_ms = clock_ms();
    application.start();
    flush_all();
    for (;;) {
        watchdog_feed();
        serve(watch_is_calling() ? wiznet_interrupts() : 0);
        if (!milliseconds_to_tick()) {
            call_tick();
        }
        if (!has_something_to_look_at()) {
            sleep_until_called();
        }
    }
}

/* Streams and datagrams on the sockets of a PC, on the loopback interface: the very applications run there under
 * sanitizers, with real programs as peers. network_run() ends with SIGTERM, so that leaks are reported.
 *
 * Small buffers stand between an application and the sockets, so that it meets the same back-pressure as on a board. */
#define _POSIX_C_SOURCE 200809L
#include "network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "console.h"
#include "host.h"
#include "posix.h"
#include "settings.h"
#include "tick.h"

SETTING(buffer_bytes, 4096, "bytes 1..65536", "so many bytes a stream holds in each direction");
SETTING(mac_last, 0x50, "octet 0..255", "the last octet of the MAC address");

#define STREAMS 8u
#define LISTENERS 8u
#define BUFFER_MOST_BYTES 65536u
#define LONGEST_SLEEP_MS 250u
#define LINGER_MS 1000u

enum phase { FREE, CONNECTING, OPEN, CLOSING };

struct bytes {
    uint8_t held[BUFFER_MOST_BYTES];
    size_t count;
};

static struct seat {
    struct stream stream;
    int socket;
    enum phase phase;
    bool is_new, has_ended, is_told, is_broken, wants_room, is_shut;
    uint32_t shut_ms;
    struct bytes in, out;
} seats[STREAMS];

static struct {
    int socket;
    const struct stream_user *user;
    uint16_t port;
    bool is_used;
} listeners[LISTENERS];

static volatile sig_atomic_t must_end;

static void end_loop(int number) {
    (void)number;
    must_end = 1;
}

static struct seat *seat_of(struct stream *stream) { return (struct seat *)(void *)stream; }

static size_t capacity(void) {
    return setting_buffer_bytes < BUFFER_MOST_BYTES ? setting_buffer_bytes : BUFFER_MOST_BYTES;
}

static struct seat *take_seat(int socket, const struct stream_user *user, void *context, uint16_t port,
                              enum phase phase) {
    for (unsigned n = 0; n < STREAMS; n++) {
        struct seat *seat = &seats[n];
        if (seat->phase == FREE) {
            int on = 1;
            setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            fcntl(socket, F_SETFL, O_NONBLOCK);
            seat->stream = (struct stream){user, context, port};
            seat->socket = socket;
            seat->phase = phase;
            seat->is_new = phase == OPEN;
            seat->has_ended = seat->is_told = seat->is_broken = seat->wants_room = seat->is_shut = false;
            seat->in.count = seat->out.count = 0;
            return seat;
        }
    }
    return NULL;
}

static void leave_seat(struct seat *seat) {
    close(seat->socket);
    seat->phase = FREE;
}

bool network_listen(uint16_t port, const struct stream_user *user) {
    for (unsigned n = 0; n < LISTENERS; n++) {
        if (!listeners[n].is_used) {
            int socket = posix_socket(SOCK_STREAM, port);
            if (socket >= 0 && listen(socket, STREAMS)) {
                close(socket);
                socket = -1;
            }
            if (socket < 0) {
                return false;
            }
            listeners[n].socket = socket;
            listeners[n].user = user;
            listeners[n].port = port;
            listeners[n].is_used = true;
            return true;
        }
    }
    return false;
}

struct stream *network_connect(uint32_t address, uint16_t port, const struct stream_user *user, void *context) {
    int socket = posix_socket(SOCK_STREAM, 0);
    struct seat *seat = socket < 0 ? NULL : take_seat(socket, user, context, 0, CONNECTING);
    if (!seat) {
        if (socket >= 0) {
            close(socket);
        }
        return NULL;
    }
    struct sockaddr_in name = posix_name(address, port);
    if (connect(socket, (struct sockaddr *)&name, sizeof name) && errno != EINPROGRESS) {
        seat->is_broken = true;
    }
    return &seat->stream;
}

static void take_out(struct bytes *bytes, size_t count) {
    bytes->count -= count;
    memmove(bytes->held, bytes->held + count, bytes->count);
}

const bool network_tells_again = false;

size_t stream_read(struct stream *stream, void *bytes, size_t wanted) {
    struct bytes *in = &seat_of(stream)->in;
    size_t count = in->count < wanted ? in->count : wanted;
    if (bytes && count) {
        memcpy(bytes, in->held, count);
    }
    take_out(in, count);
    return count;
}

size_t stream_room(struct stream *stream) { return capacity() - seat_of(stream)->out.count; }

size_t stream_write(struct stream *stream, const void *bytes, size_t count) {
    struct seat *seat = seat_of(stream);
    size_t room = stream_room(stream), taken = count < room ? count : room;
    if (taken) {
        memcpy(seat->out.held + seat->out.count, bytes, taken);
    }
    seat->out.count += taken;
    seat->wants_room = seat->wants_room || taken < count;
    return taken;
}

size_t stream_write_constant(struct stream *stream, const void *bytes, size_t count) {
    return stream_write(stream, bytes, count);
}

void stream_close(struct stream *stream) { seat_of(stream)->phase = CLOSING; }

void stream_abort(struct stream *stream) {
    struct linger none = {1, 0};
    setsockopt(seat_of(stream)->socket, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    leave_seat(seat_of(stream));
}

void stream_peer(struct stream *stream, uint32_t *address, uint16_t *port) {
    struct sockaddr_in name = {0};
    socklen_t size = sizeof name;
    getpeername(seat_of(stream)->socket, (struct sockaddr *)&name, &size);
    *address = name.sin_addr.s_addr;
    *port = ntohs(name.sin_port);
}

static void tell_end(struct seat *seat, enum stream_end how) {
    if (how != STREAM_ENDED) {
        leave_seat(seat);
    }
    seat->is_told = true;
    if (seat->stream.user->ended) {
        seat->stream.user->ended(&seat->stream, how);
    }
}

static void receive(struct seat *seat) {
    ssize_t count = recv(seat->socket, seat->in.held + seat->in.count, capacity() - seat->in.count, 0);
    if (count > 0) {
        seat->in.count += (size_t)count;
    } else if (count == 0) {
        seat->has_ended = true;
    } else if (errno != EAGAIN) {
        seat->is_broken = true;
    }
}

static void transmit(struct seat *seat) {
    if (seat->out.count) {
        ssize_t count = send(seat->socket, seat->out.held, seat->out.count, MSG_NOSIGNAL);
        if (count > 0) {
            take_out(&seat->out, (size_t)count);
        } else if (count < 0 && errno != EAGAIN) {
            seat->is_broken = true;
        }
    }
}

/* The rest goes out before the end. Then what the peer still sends is dropped for a while: a socket that is closed with
 * bytes unread resets the connection, and the peer would lose what it has not read yet. */
static void finish_closing(struct seat *seat) {
    if (!seat->is_shut) {
        transmit(seat);
        if (!seat->out.count) {
            shutdown(seat->socket, SHUT_WR);
            seat->is_shut = true;
            seat->shut_ms = clock_ms();
        }
    }
    seat->in.count = 0;
    receive(seat);
    if (seat->is_broken || (seat->is_shut && (seat->has_ended || clock_ms() - seat->shut_ms >= LINGER_MS))) {
        leave_seat(seat);
    }
}

static void serve_connecting(struct seat *seat) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(seat->socket, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error || seat->is_broken) {
        tell_end(seat, STREAM_REFUSED);
    } else {
        seat->phase = OPEN;
        seat->is_new = true;
    }
}

/* What the sockets have done, told in the order of the other ways. */
static void serve_open(struct seat *seat, size_t before) {
    const struct stream_user *user = seat->stream.user;
    if (seat->is_new) {
        seat->is_new = false;
        if (user->opened) {
            user->opened(&seat->stream);
        }
    }
    if (seat->phase == OPEN && seat->in.count > before && user->readable) {
        user->readable(&seat->stream);
    }
    if (seat->phase == OPEN && seat->wants_room && stream_room(&seat->stream)) {
        seat->wants_room = false;
        if (user->writable) {
            user->writable(&seat->stream);
        }
    }
    if (seat->phase == OPEN && seat->is_broken) {
        tell_end(seat, STREAM_RESET);
    } else if (seat->phase == OPEN && seat->has_ended && !seat->is_told) {
        tell_end(seat, STREAM_ENDED);
    }
    if (seat->phase == OPEN) {
        transmit(seat);
    }
}

static void serve(struct seat *seat, short events) {
    size_t before = seat->in.count;
    if (seat->phase == CONNECTING && ((events & (POLLOUT | POLLERR | POLLHUP)) || seat->is_broken)) {
        serve_connecting(seat);
    }
    if (seat->phase == OPEN) {
        if (events & (POLLIN | POLLHUP | POLLERR)) {
            receive(seat);
        }
        if (events & POLLOUT) {
            transmit(seat);
        }
        serve_open(seat, before);
    }
    if (seat->phase == CLOSING) {
        finish_closing(seat);
    }
}

static void accept_one(unsigned n) {
    int socket = accept(listeners[n].socket, NULL, NULL);
    if (socket >= 0 && !take_seat(socket, listeners[n].user, NULL, listeners[n].port, OPEN)) {
        close(socket);
    }
}

static short events_of(const struct seat *seat) {
    bool reads = seat->phase == CLOSING || (seat->phase == OPEN && !seat->has_ended && seat->in.count < capacity());
    bool writes = seat->phase == CONNECTING || seat->out.count;
    return (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
}

static bool needs_a_look(const struct seat *seat) {
    bool has_room = seat->wants_room && seat->out.count < capacity();
    bool must_shut = seat->phase == CLOSING && !seat->is_shut && !seat->out.count;
    return seat->phase != FREE && (seat->is_new || seat->is_broken || has_room || must_shut);
}

#define FIRST_PORT STREAMS
#define FIRST_LISTENER (FIRST_PORT + POSIX_PORTS)
#define PINS_PLACE (FIRST_LISTENER + LISTENERS)
#define PLACES (PINS_PLACE + 1)

/* One look at everything: streams first, then ports, then who wants to connect. */
static void turn(int pins) {
    struct pollfd places[PLACES];
    uint32_t limit_ms = tick_wait_ms(LONGEST_SLEEP_MS);
    for (unsigned n = 0; n < STREAMS; n++) {
        places[n] = (struct pollfd){seats[n].phase == FREE ? -1 : seats[n].socket, events_of(&seats[n]), 0};
        limit_ms = needs_a_look(&seats[n]) ? 0 : limit_ms;
    }
    for (unsigned n = 0; n < POSIX_PORTS; n++) {
        places[FIRST_PORT + n] = (struct pollfd){posix_datagrams_socket(n), POLLIN, 0};
    }
    for (unsigned n = 0; n < LISTENERS; n++) {
        places[FIRST_LISTENER + n] = (struct pollfd){listeners[n].is_used ? listeners[n].socket : -1, POLLIN, 0};
    }
    places[PINS_PLACE] = (struct pollfd){pins, POLLIN, 0};
    if (poll(places, PLACES, (int)limit_ms) < 0) {
        return;
    }
    for (unsigned n = 0; n < STREAMS; n++) {
        if (seats[n].phase != FREE) {
            serve(&seats[n], places[n].revents);
        }
    }
    for (unsigned n = 0; n < POSIX_PORTS; n++) {
        if (places[FIRST_PORT + n].revents & POLLIN) {
            posix_datagrams_receive(n);
        }
    }
    for (unsigned n = 0; n < LISTENERS; n++) {
        if (places[FIRST_LISTENER + n].revents & POLLIN) {
            accept_one(n);
        }
    }
    if (places[PINS_PLACE].revents & POLLIN) {
        host_pins_read();
    }
}

static void close_all(void) {
    for (unsigned n = 0; n < STREAMS; n++) {
        if (seats[n].phase != FREE) {
            leave_seat(&seats[n]);
        }
    }
    posix_datagrams_close();
    for (unsigned n = 0; n < LISTENERS; n++) {
        if (listeners[n].is_used) {
            close(listeners[n].socket);
        }
    }
}

void network_run(const struct application *application) {
    clock_start();
    console_start(0);
    struct sigaction action = {.sa_handler = end_loop};
    sigaction(SIGTERM, &action, NULL);
    int pins = host_pins_open();
    console_text(application->name);
    console_text(" by the sockets of this machine\n");
    tick_begin();
    application->start();
    console_text("ready\n");
    while (!must_end) {
        turn(pins);
        tick_call_if_due(application);
    }
    close_all();
}

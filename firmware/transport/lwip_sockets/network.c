/* Streams and datagrams on lwIP's sockets, with FreeRTOS: a task takes frames from the chip, lwIP has one for its
 * timers, and this one waits in select() for all sockets together. */
#include "network.h"

#include <string.h>

#include "FreeRTOS.h"
#include "clock.h"
#include "console.h"
#include "driver_task.h"
#include "interface.h"
#include "linger.h"
#include "lwip/api.h"
#include "lwip/priv/sockets_priv.h"
#include "lwip/sockets.h"
#include "lwip/sys.h"
#include "lwip/tcpip.h"
#include "network_settings.h"
#include "pools.h"
#include "report.h"
#include "task.h"
#include "tick.h"
#include "watchdog.h"

#define STREAMS 16u
#define LISTENERS 8u
#define PORTS 6u
#define LONGEST_SLEEP_MS 250u
#define PRIORITY 2u
#define STACK_WORDS 1024u

enum phase { FREE, CONNECTING, OPEN, PEER_ENDED };

static struct seat {
    struct stream stream;
    int socket;
    uint8_t phase;
    bool wants_room, has_ended; /* lwIP says only once that nothing more comes */
    bool is_broken;             /* as a write found; what came before may be unread */
} seats[STREAMS];

static struct {
    int socket;
    const struct stream_user *user;
    uint16_t port;
    bool is_used;
} listeners[LISTENERS];

struct datagrams {
    int socket;
    datagram_user *received;
    void *context;
    bool is_used;
};
static struct datagrams ports[PORTS];

static struct seat *seat_of(struct stream *stream) { return (struct seat *)(void *)stream; }

static struct sockaddr_in address_of(uint32_t address, uint16_t port) {
    struct sockaddr_in name = {.sin_len = sizeof name, .sin_family = AF_INET, .sin_port = lwip_htons(port)};
    name.sin_addr.s_addr = address;
    return name;
}

static void configure(int socket) {
    int on = 1;
    lwip_fcntl(socket, F_SETFL, O_NONBLOCK);
    lwip_setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static struct seat *take_seat(int socket, const struct stream_user *user, void *context, uint16_t port) {
    for (unsigned n = 0; n < STREAMS; n++) {
        if (seats[n].phase == FREE) {
            seats[n] = (struct seat){.stream = {user, context, port}, .socket = socket, .phase = OPEN};
            return &seats[n];
        }
    }
    return NULL;
}

bool network_listen(uint16_t port, const struct stream_user *user) {
    for (unsigned n = 0; n < LISTENERS; n++) {
        if (listeners[n].is_used) {
            continue;
        }
        struct sockaddr_in name = address_of(0, port);
        int socket = lwip_socket(AF_INET, SOCK_STREAM, 0);
        if (socket < 0) {
            return false;
        }
        if (lwip_bind(socket, (struct sockaddr *)&name, sizeof name) || lwip_listen(socket, 4)) {
            lwip_close(socket);
            return false;
        }
        configure(socket);
        listeners[n].socket = socket;
        listeners[n].user = user;
        listeners[n].port = port;
        listeners[n].is_used = true;
        return true;
    }
    return false;
}

struct stream *network_connect(uint32_t address, uint16_t port, const struct stream_user *user, void *context) {
    int socket = lwip_socket(AF_INET, SOCK_STREAM, 0);
    struct seat *seat = socket < 0 ? NULL : take_seat(socket, user, context, 0);
    if (!seat) {
        if (socket >= 0) {
            lwip_close(socket);
        }
        return NULL;
    }
    configure(socket);
    seat->phase = CONNECTING;
    struct sockaddr_in name = address_of(address, port);
    if (lwip_connect(socket, (struct sockaddr *)&name, sizeof name) && errno != EINPROGRESS) {
        lwip_close(socket);
        seat->phase = FREE;
        return NULL;
    }
    return &seat->stream;
}

static void leave_seat(struct seat *seat) {
    lwip_close(seat->socket);
    seat->phase = FREE;
}

static void tell_end(struct seat *seat, enum stream_end how) {
    if (how == STREAM_ENDED) {
        seat->phase = PEER_ENDED;
    } else {
        leave_seat(seat);
    }
    if (seat->stream.user->ended) {
        seat->stream.user->ended(&seat->stream, how);
    }
}

const bool network_tells_again = true;

/* Nothing left, or the end: the latter is told when the application has returned. */
size_t stream_read(struct stream *stream, void *bytes, size_t capacity) {
    static uint8_t dropped[512];
    struct seat *seat = seat_of(stream);
    size_t wanted = bytes || capacity < sizeof dropped ? capacity : sizeof dropped;
    ssize_t count = lwip_recv(seat->socket, bytes ? bytes : dropped, wanted, MSG_DONTWAIT);
    seat->has_ended = seat->has_ended || (count == 0 && wanted);
    return count > 0 ? (size_t)count : 0;
}

size_t stream_write(struct stream *stream, const void *bytes, size_t count) {
    struct seat *seat = seat_of(stream);
    ssize_t taken = count ? lwip_send(seat->socket, bytes, count, MSG_DONTWAIT) : 0;
    if (taken < 0) {
        seat->is_broken = errno == ECONNRESET || errno == ECONNABORTED || errno == ENOTCONN;
        taken = 0;
    }
    seat->wants_room = seat->wants_room || (size_t)taken < count;
    return (size_t)taken;
}

size_t stream_write_constant(struct stream *stream, const void *bytes, size_t count) {
    return stream_write(stream, bytes, count);
}

/* lwIP's sockets do not tell: what send() would not take comes back from it. */
size_t stream_room(struct stream *stream) {
    (void)stream;
    return TCP_SND_BUF;
}

void stream_peer(struct stream *stream, uint32_t *address, uint16_t *port) {
    struct sockaddr_in name = {0};
    socklen_t size = sizeof name;
    lwip_getpeername(seat_of(stream)->socket, (struct sockaddr *)&name, &size);
    *address = name.sin_addr.s_addr;
    *port = lwip_ntohs(name.sin_port);
}

/* lwIP closes a socket without lingering: its connection is taken from it before, as a reset would take it. */
void stream_close(struct stream *stream) {
    struct seat *seat = seat_of(stream);
    if (seat->phase != CONNECTING) {
        LOCK_TCPIP_CORE();
        struct netconn *connection = lwip_socket_dbg_get_socket(seat->socket)->conn;
        struct tcp_pcb *pcb = connection->pcb.tcp;
        connection->pcb.tcp = NULL;
        if (pcb) {
            linger_and_close(pcb);
        }
        UNLOCK_TCPIP_CORE();
    }
    leave_seat(seat);
}

void stream_abort(struct stream *stream) {
    struct linger none = {1, 0};
    lwip_setsockopt(seat_of(stream)->socket, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    leave_seat(seat_of(stream));
}

struct datagrams *network_bind(uint16_t port, datagram_user *received, void *context) {
    for (unsigned n = 0; n < PORTS; n++) {
        if (ports[n].is_used) {
            continue;
        }
        struct sockaddr_in name = address_of(0, port);
        int socket = lwip_socket(AF_INET, SOCK_DGRAM, 0);
        if (socket < 0) {
            return NULL;
        }
        if (lwip_bind(socket, (struct sockaddr *)&name, sizeof name)) {
            lwip_close(socket);
            return NULL;
        }
        ports[n] = (struct datagrams){socket, received, context, true};
        return &ports[n];
    }
    return NULL;
}

bool datagram_send(struct datagrams *datagrams, const struct endpoint *to, const uint8_t *bytes, size_t count) {
    struct sockaddr_in name = address_of(to->address, to->port);
    return lwip_sendto(datagrams->socket, bytes, count, 0, (struct sockaddr *)&name, sizeof name) == (ssize_t)count;
}

uint32_t network_address(void) { return interface_address(); }

/* Stacks by the words that were never used. */
void pools_report(void) {
    unsigned used = 0;
    for (unsigned n = 0; n < STREAMS; n++) {
        used += seats[n].phase != FREE;
    }
    console_named("STREAMS", used);
    pools_report_lwip();
    console_named("least stack of app", uxTaskGetStackHighWaterMark(NULL));
    console_named("least stack of driver", driver_task_least_stack());
    console_named("least stack of lwIP", sys_thread_least_stack());
}

static void serve_connecting(struct seat *seat) {
    int error = 0;
    socklen_t size = sizeof error;
    lwip_getsockopt(seat->socket, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) {
        tell_end(seat, STREAM_REFUSED);
        return;
    }
    seat->phase = OPEN;
    if (seat->stream.user->opened) {
        seat->stream.user->opened(&seat->stream);
    }
}

/* Whether the peer has ended or reset, without taking anything. */
static void look_for_end(struct seat *seat) {
    uint8_t byte;
    ssize_t count = seat->has_ended ? 0 : lwip_recv(seat->socket, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    if (count == 0) {
        tell_end(seat, STREAM_ENDED);
    } else if (count < 0 && errno != EWOULDBLOCK) {
        tell_end(seat, STREAM_RESET);
    }
}

static void serve_stream(struct seat *seat, bool is_readable, bool is_writable) {
    if (seat->phase == CONNECTING) {
        if (is_writable) {
            serve_connecting(seat);
        }
        return;
    }
    const struct stream_user *user = seat->stream.user;
    if (is_readable && seat->phase == OPEN) {
        if (user->readable) {
            user->readable(&seat->stream);
        }
        if (seat->phase == OPEN) {
            look_for_end(seat);
        }
    }
    if (is_writable && seat->phase != FREE && seat->wants_room) {
        seat->wants_room = false;
        if (user->writable) {
            user->writable(&seat->stream);
        }
    }
    if (seat->phase != FREE && seat->is_broken) {
        tell_end(seat, STREAM_RESET);
    }
}

static void accept_one(unsigned n) {
    int socket = lwip_accept(listeners[n].socket, NULL, NULL);
    if (socket < 0) {
        return;
    }
    struct seat *seat = take_seat(socket, listeners[n].user, NULL, listeners[n].port);
    if (!seat) {
        lwip_close(socket);
        return;
    }
    configure(socket);
    if (seat->stream.user->opened) {
        seat->stream.user->opened(&seat->stream);
    }
}

static void receive_one(struct datagrams *datagrams) {
    static uint8_t bytes[DATAGRAM_MOST_BYTES];
    struct sockaddr_in name;
    socklen_t size = sizeof name;
    ssize_t count =
        lwip_recvfrom(datagrams->socket, bytes, sizeof bytes, MSG_DONTWAIT, (struct sockaddr *)&name, &size);
    if (count >= 0) {
        struct endpoint from = {name.sin_addr.s_addr, lwip_ntohs(name.sin_port)};
        datagrams->received(datagrams->context, &from, bytes, (size_t)count);
    }
}

static int gather(fd_set *readable, fd_set *writable) {
    int most = -1;
    FD_ZERO(readable);
    FD_ZERO(writable);
    for (unsigned n = 0; n < LISTENERS; n++) {
        if (listeners[n].is_used) {
            FD_SET(listeners[n].socket, readable);
            most = listeners[n].socket > most ? listeners[n].socket : most;
        }
    }
    for (unsigned n = 0; n < PORTS; n++) {
        if (ports[n].is_used) {
            FD_SET(ports[n].socket, readable);
            most = ports[n].socket > most ? ports[n].socket : most;
        }
    }
    for (unsigned n = 0; n < STREAMS; n++) {
        if (seats[n].phase == OPEN) {
            FD_SET(seats[n].socket, readable);
        }
        if (seats[n].phase == CONNECTING || (seats[n].phase != FREE && seats[n].wants_room)) {
            FD_SET(seats[n].socket, writable);
        }
        if (seats[n].phase != FREE) {
            most = seats[n].socket > most ? seats[n].socket : most;
        }
    }
    return most;
}

static void serve_all(const fd_set *readable, const fd_set *writable) {
    for (unsigned n = 0; n < STREAMS; n++) {
        if (seats[n].phase != FREE) {
            serve_stream(&seats[n], FD_ISSET(seats[n].socket, readable), FD_ISSET(seats[n].socket, writable));
        }
    }
    for (unsigned n = 0; n < PORTS; n++) {
        if (ports[n].is_used && FD_ISSET(ports[n].socket, readable)) {
            receive_one(&ports[n]);
        }
    }
    for (unsigned n = 0; n < LISTENERS; n++) {
        if (listeners[n].is_used && FD_ISSET(listeners[n].socket, readable)) {
            accept_one(n);
        }
    }
}

static void wait_until_ready(void) {
    uint32_t from = clock_ms();
    while (!interface_is_ready()) {
        watchdog_feed();
        vTaskDelay(1);
        if (clock_ms() - from >= setting_ready_limit_ms) {
            from = clock_ms();
            report_problem(interface_sentence());
        }
    }
}

static volatile bool is_waiting;

/* Only select() is to be ended early: other calls wait for what lwIP has to finish. */
static void end_wait(void) {
    if (is_waiting) {
        sys_socket_wake_from_interrupt();
    }
}

/* Waits for the sockets or the application's time. A wake that comes after the look at the latter ends the wait. */
static void wait_and_serve(void) {
    fd_set readable, writable;
    int most = gather(&readable, &writable);
    is_waiting = true;
    struct timeval limit = {0, (long)tick_wait_ms(LONGEST_SLEEP_MS) * 1000};
    int ready = lwip_select(most + 1, &readable, &writable, NULL, &limit);
    is_waiting = false;
    sys_socket_forget_wake();
    if (ready > 0) {
        serve_all(&readable, &writable);
    }
}

static void run(void *argument) {
    const struct application *application = argument;
    interface_start(application->name, "lwIP's sockets on FreeRTOS");
    driver_task_start();
    sys_socket_semaphore();
    tick_set_waker(end_wait);
    wait_until_ready();
    report_ready();
    tick_begin();
    application->start();
    for (;;) {
        watchdog_feed();
        wait_and_serve();
        tick_call_if_due(application);
    }
}

void network_run(const struct application *application) {
    static StaticTask_t task;
    static StackType_t stack[STACK_WORDS];
    clock_start();
    xTaskCreateStatic(run, "app", STACK_WORDS, (void *)(uintptr_t)application, PRIORITY, stack, &task);
    vTaskStartScheduler();
}

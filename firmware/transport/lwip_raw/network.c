/* Streams on lwIP's raw interface, without an operating system. lwIP's callbacks only take notes; applications
 * are called from the loop, so that what they write leaves with the acknowledgement of what they read. */
#include "network.h"

#include <string.h>

#include "bench_knobs.h"
#include "clock.h"
#include "console.h"
#include "interface.h"
#include "interrupt.h"
#include "linger.h"
#include "lwip/pbuf.h"
#include "lwip/tcp.h"
#include "lwip/timeouts.h"
#include "network_settings.h"
#include "pools.h"
#include "report.h"
#include "tick.h"
#include "watch.h"
#include "watchdog.h"

SETTING(nagle, 0, "on/off", "whether small writes wait for the acknowledgement of those before (RFC 896)");

#define LONGEST_SLEEP_MS 250u
#define FRAMES_AT_A_TIME 8u
/* In half seconds, as lwIP counts. */
#define POLL_INTERVAL 1u

static struct seat {
    struct stream stream;
    struct tcp_pcb *pcb;
    struct pbuf *received;
    enum stream_end how;
    bool is_used, has_opened, is_new, has_more, has_room, has_ended, is_told, wants_room, must_output;
} seats[MEMP_NUM_TCP_PCB];
static unsigned seats_ever; /* were taken: those behind were never */

static struct seat *seat_of(struct stream *stream) { return (struct seat *)(void *)stream; }

static struct seat *take_seat(const struct stream_user *user, void *context, uint16_t port) {
    for (unsigned n = 0; n < MEMP_NUM_TCP_PCB; n++) {
        if (!seats[n].is_used) {
            seats[n] = (struct seat){.stream = {user, context, port}, .is_used = true};
            seats_ever = n < seats_ever ? seats_ever : n + 1;
            return &seats[n];
        }
    }
    return NULL;
}

static void leave_seat(struct seat *seat) {
    if (seat->received) {
        pbuf_free(seat->received);
    }
    seat->received = NULL;
    seat->is_used = false;
}

static err_t on_received(void *argument, struct tcp_pcb *pcb, struct pbuf *bytes, err_t error) {
    struct seat *seat = argument;
    (void)pcb;
    (void)error;
    if (!bytes) {
        seat->has_ended = true;
        seat->how = STREAM_ENDED;
        return ERR_OK;
    }
    if (seat->received) {
        pbuf_cat(seat->received, bytes);
    } else {
        seat->received = bytes;
    }
    seat->has_more = true;
    return ERR_OK;
}

static err_t on_sent(void *argument, struct tcp_pcb *pcb, u16_t bytes) {
    struct seat *seat = argument;
    (void)pcb;
    (void)bytes;
    seat->has_room = seat->wants_room;
    return ERR_OK;
}

/* A write may have found no memory, with nothing on its way whose acknowledgement could make room. */
static err_t on_poll(void *argument, struct tcp_pcb *pcb) {
    struct seat *seat = argument;
    (void)pcb;
    seat->has_room = seat->has_room || seat->wants_room;
    return ERR_OK;
}

/* lwIP has freed the connection already. */
static void on_error(void *argument, err_t error) {
    struct seat *seat = argument;
    seat->pcb = NULL;
    seat->has_ended = true;
    seat->is_told = false;
    seat->how = error == ERR_CLSD ? STREAM_CLOSED : seat->has_opened ? STREAM_RESET : STREAM_REFUSED;
}

static void attach(struct seat *seat, struct tcp_pcb *pcb) {
    seat->pcb = pcb;
    tcp_arg(pcb, seat);
    tcp_recv(pcb, on_received);
    tcp_sent(pcb, on_sent);
    tcp_poll(pcb, on_poll, POLL_INTERVAL);
    tcp_err(pcb, on_error);
    if (!setting_nagle) {
        tcp_nagle_disable(pcb);
    }
}

/* Told from the loop: an application may abort a stream there, which lwIP's callbacks must not. */
static void tell_opened(struct seat *seat) {
    seat->is_new = false;
    if (seat->stream.user->opened) {
        seat->stream.user->opened(&seat->stream);
        seat->must_output = true;
    }
}

static err_t on_accepted(void *argument, struct tcp_pcb *pcb, err_t error) {
    struct seat *seat = error == ERR_OK ? take_seat(argument, NULL, pcb->local_port) : NULL;
    if (!seat) {
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    attach(seat, pcb);
    seat->has_opened = seat->is_new = true;
    return ERR_OK;
}

static err_t on_connected(void *argument, struct tcp_pcb *pcb, err_t error) {
    (void)pcb;
    (void)error;
    struct seat *seat = argument;
    seat->has_opened = seat->is_new = true;
    return ERR_OK;
}

bool network_listen(uint16_t port, const struct stream_user *user) {
    struct tcp_pcb *pcb = tcp_new_ip_type(IPADDR_TYPE_ANY);
    if (!pcb) {
        return false;
    }
    struct tcp_pcb *listener = tcp_bind(pcb, IP_ANY_TYPE, port) == ERR_OK ? tcp_listen(pcb) : NULL;
    if (!listener) {
        tcp_close(pcb);
        return false;
    }
    tcp_arg(listener, (void *)(uintptr_t)user);
    tcp_accept(listener, on_accepted);
    return true;
}

struct stream *network_connect(uint32_t address, uint16_t port, const struct stream_user *user, void *context) {
    struct tcp_pcb *pcb = tcp_new();
    struct seat *seat = pcb ? take_seat(user, context, 0) : NULL;
    if (!seat) {
        if (pcb) {
            tcp_abort(pcb);
        }
        return NULL;
    }
    attach(seat, pcb);
    ip_addr_t to = IPADDR4_INIT(address);
    if (tcp_connect(pcb, &to, port, on_connected) != ERR_OK) {
        tcp_abort(pcb);
        leave_seat(seat);
        return NULL;
    }
    seat->stream.own_port = pcb->local_port;
    return &seat->stream;
}

const bool network_tells_again = false;

size_t stream_read(struct stream *stream, void *bytes, size_t capacity) {
    struct seat *seat = seat_of(stream);
    if (!seat->received) {
        return 0;
    }
    size_t count = seat->received->tot_len < capacity ? seat->received->tot_len : capacity;
    if (bytes) {
        pbuf_copy_partial(seat->received, bytes, (u16_t)count, 0);
    }
    seat->received = pbuf_free_header(seat->received, (u16_t)count);
    if (seat->pcb) {
        tcp_recved(seat->pcb, (u16_t)count);
    }
    return count;
}

static size_t write(struct stream *stream, const void *bytes, size_t count, u8_t how) {
    struct seat *seat = seat_of(stream);
    size_t room = stream_room(stream), taken = count < room ? count : room;
    if (taken && tcp_write(seat->pcb, bytes, (u16_t)taken, how) != ERR_OK) {
        taken = 0;
    }
    seat->wants_room = seat->wants_room || taken < count;
    seat->must_output = seat->must_output || taken;
    if (taken && bench_outputs_each_write()) {
        tcp_output(seat->pcb);
    }
    return taken;
}

size_t stream_write(struct stream *stream, const void *bytes, size_t count) {
    return write(stream, bytes, count, TCP_WRITE_FLAG_COPY);
}

size_t stream_write_constant(struct stream *stream, const void *bytes, size_t count) {
    return write(stream, bytes, count, 0);
}

size_t stream_room(struct stream *stream) {
    struct tcp_pcb *pcb = seat_of(stream)->pcb;
    return pcb && tcp_sndqueuelen(pcb) < TCP_SND_QUEUELEN - 2 ? tcp_sndbuf(pcb) : 0;
}

void stream_peer(struct stream *stream, uint32_t *address, uint16_t *port) {
    struct tcp_pcb *pcb = seat_of(stream)->pcb;
    *address = pcb && IP_IS_V4(&pcb->remote_ip) ? ip4_addr_get_u32(ip_2_ip4(&pcb->remote_ip)) : 0;
    *port = pcb ? pcb->remote_port : 0;
}

void stream_abort(struct stream *stream) {
    struct seat *seat = seat_of(stream);
    if (seat->pcb) {
        tcp_arg(seat->pcb, NULL);
        tcp_err(seat->pcb, NULL);
        tcp_abort(seat->pcb);
    }
    leave_seat(seat);
}

void stream_close(struct stream *stream) {
    struct seat *seat = seat_of(stream);
    if (seat->pcb) {
        if (seat->received) {
            tcp_recved(seat->pcb, seat->received->tot_len);
        }
        linger_and_close(seat->pcb);
    }
    leave_seat(seat);
}

static void output(struct seat *seat) {
    if (seat->must_output && seat->pcb && bench_lets_output(tcp_sndbuf(seat->pcb), TCP_SND_BUF)) {
        tcp_output(seat->pcb);
    }
    seat->must_output = false;
}

/* What lwIP's callbacks have noted. A stream that its application closes leaves its seat: it is looked at anew each
 * time. */
static void serve(struct seat *seat) {
    const struct stream_user *user = seat->stream.user;
    if (seat->is_new) {
        tell_opened(seat);
    }
    if (seat->is_used && seat->has_more) {
        seat->has_more = false;
        if (user->readable) {
            user->readable(&seat->stream);
            seat->must_output = true;
        }
    }
    if (seat->is_used && seat->has_room) {
        seat->has_room = seat->wants_room = false;
        if (user->writable) {
            user->writable(&seat->stream);
        }
    }
    if (seat->is_used && seat->has_ended && !seat->is_told) {
        seat->is_told = true;
        enum stream_end how = seat->how;
        bool is_gone = !seat->pcb;
        if (user->ended) {
            user->ended(&seat->stream, how);
        }
        if (is_gone && seat->is_used) {
            leave_seat(seat);
        }
    }
    if (seat->is_used) {
        output(seat);
    }
}

static void serve_all(void) {
    for (unsigned n = 0; n < seats_ever; n++) {
        if (seats[n].is_used) {
            serve(&seats[n]);
        }
    }
}

uint32_t network_address(void) { return interface_address(); }

void pools_report(void) {
    unsigned used = 0;
    for (unsigned n = 0; n < MEMP_NUM_TCP_PCB; n++) {
        used += seats[n].is_used;
    }
    console_named("STREAMS", used);
    pools_report_lwip();
}

/* One look at everything; whether there may be more to do at once. */
static bool turn(void) {
    static bool has_more; /* the pin may be quiet by then: its interrupt is acknowledged before the frames are taken */
    bool is_called = watch_is_calling() || has_more;
    if (is_called) {
        has_more = interface_receive(FRAMES_AT_A_TIME);
    }
    serve_all();
    if (is_called) {
        interface_settle();
    }
    if (is_called || !bench_has_timers_with_poll()) {
        sys_check_timeouts();
        serve_all();
    }
    return has_more;
}

/* Until a frame, a timer or the application's tick. Interrupts are held meanwhile, so that one that comes after the
 * look ends the sleep before it begins. */
static void sleep_until_called(void) {
    uint32_t held = interrupts_hold();
    uint32_t limit_ms = tick_wait_ms(LONGEST_SLEEP_MS);
    if (!bench_has_timers_with_poll()) {
        uint32_t timer_ms = sys_timeouts_sleeptime();
        limit_ms = timer_ms < limit_ms ? timer_ms : limit_ms;
    }
    uint32_t quiet_us = watch_quiet_us(limit_ms * 1000u);
    if (quiet_us) {
        clock_sleep(quiet_us);
    }
    interrupts_release(held);
}

void network_run(const struct application *application) {
    clock_start();
    interface_start(application->name, "lwIP's raw interface");
    uint32_t from = clock_ms();
    while (!interface_is_ready()) {
        watchdog_feed();
        if (!turn()) {
            sleep_until_called();
        }
        if (clock_ms() - from >= setting_ready_limit_ms) {
            from = clock_ms();
            report_problem(interface_sentence());
        }
    }
    report_ready();
    tick_begin();
    application->start();
    serve_all();
    for (;;) {
        watchdog_feed();
        bool has_more = turn();
        if (tick_call_if_due(application)) {
            serve_all();
        }
        if (!has_more) {
            sleep_until_called();
        }
    }
}

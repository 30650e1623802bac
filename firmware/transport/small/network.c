/* The loop over the small stack, without an operating system or as a task of FreeRTOS that never sleeps. */
#include "network.h"

#include "clock.h"
#include "console.h"
#include "frame.h"
#include "frames.h"
#include "interrupt.h"
#include "loop.h"
#include "network_settings.h"
#include "stack.h"
#include "start_frames.h"
#include "tick.h"
#include "watch.h"
#ifdef AIRWIRE_FREERTOS
#include "kernel.h"
#endif

#define FRAMES_AT_A_TIME 8u
#define LONGEST_SLEEP_MS 250u
#define LINK_LOOK_US 100000u
/* Where the chip does not tell its link, the address is announced a few times: at first nobody may have heard. */
#define ANNOUNCEMENTS 10u
#define ANNOUNCE_EACH_MS 500u

_Static_assert(FRAME_HEADROOM_BYTES >= FRAMES_AHEAD_BYTES, "there is room for what is read before a frame");

static void (*serve)(void);

uint32_t network_address(void) { return setting_address; }

void loop_serve_by(void (*function)(void)) { serve = function; }

bool loop_transmit(size_t bytes) {
    if (!bytes || !frames_has_room(bytes)) {
        return false;
    }
    frames_write(frame, bytes, true);
    return frames_send();
}

/* Takes the frames that are there, and answers each before the next is looked for; whether there may be more. Without
 * the pin there is no interrupt to acknowledge. */
static bool receive(void) {
    if (watch_has_pin()) {
        frames_acknowledge();
    }
    for (uint8_t n = 0; n < FRAMES_AT_A_TIME; n++) {
        if (n && !frames_are_known() && watch_has_pin() && !watch_is_calling()) {
            return false; /* a frame that has come since would hold the pin */
        }
        size_t bytes = frames_next();
        if (!bytes) {
            return false;
        }
        bool is_whole = bytes <= SMALL_FRAME_BYTES && frames_read(frame_memory, FRAME_HEADROOM_BYTES, bytes);
        frames_finish();
        if (is_whole) {
            loop_transmit(stack_input(bytes, clock_ms()));
            if (serve) {
                serve();
            }
        }
    }
    return true;
}

static void send_all(void) {
    do {
        if (serve) {
            serve();
        }
    } while (loop_transmit(stack_output(clock_ms())));
}

/* One look at everything; whether there may be more to do at once. */
static bool turn(void) {
    static bool has_more; /* the pin may be quiet by then: its interrupt is acknowledged before the frames are taken */
    bool is_called = watch_is_calling() || has_more;
    if (is_called) {
        has_more = receive();
    }
    send_all();
    if (is_called) {
        frames_settle();
    }
    return has_more;
}

#ifdef AIRWIRE_FREERTOS
static void sleep_until_called(void) { kernel_yield(); }
#else
/* Interrupts are held meanwhile, so that one that comes after the look ends the sleep before it begins. */
static void sleep_until_called(void) {
    uint32_t held = interrupts_hold();
    uint32_t limit_ms = stack_wait_ms(clock_ms(), tick_wait_ms(LONGEST_SLEEP_MS));
    uint32_t quiet_us = watch_quiet_us(limit_ms * 1000u);
    if (quiet_us) {
        clock_sleep(quiet_us);
    }
    interrupts_release(held);
}
#endif

/* A board without a cable is not one that hangs: the watchdog is fed meanwhile. */
static void wait_for_link(void) {
    uint32_t from = clock_ms();
    while (!frames_has_link()) {
        watchdog_feed();
        for (uint32_t look = clock_us(); !clock_is_over(look, LINK_LOOK_US);) {
            clock_sleep(LINK_LOOK_US);
        }
        if (clock_ms() - from >= setting_ready_limit_ms) {
            from = clock_ms();
            report_problem(frames_sentence(FRAMES_NO_LINK));
        }
    }
}

static void announce(void) {
    static uint8_t left = ANNOUNCEMENTS;
    static uint32_t last_ms;
    if (left && !frames_knows_link() && clock_ms() - last_ms >= ANNOUNCE_EACH_MS) {
        last_ms = clock_ms();
        left--;
        stack_announce();
    }
}

static void run(const void *argument) {
    const struct application *application = argument;
    struct stack_addresses own = {NETWORK_MAC, setting_address, setting_mask, setting_gateway};
    console_start(setting_console_baud);
    if (setting_watchdog_ms) {
        watchdog_start(setting_watchdog_ms);
    }
    start_chip(application->name, "the small stack");
    stack_begin(&own);
    while (!frames_open()) {
        watchdog_feed();
        report_problem(frames_sentence(FRAMES_NO_CHIP));
        clock_sleep(LINK_LOOK_US);
    }
    watch_start(setting_wiznet_int, setting_wiznet_poll_us, setting_wiznet_poll_raster);
    wait_for_link();
    stack_announce();
    report_ready();
    tick_begin();
    application->start();
    for (;;) {
        watchdog_feed();
        announce();
        bool has_more = turn();
        if (tick_call_if_due(application)) {
            send_all();
        }
        if (!has_more) {
            sleep_until_called();
        }
    }
}

void network_run(const struct application *application) {
    clock_start();
#ifdef AIRWIRE_FREERTOS
    kernel_run(run, application);
#else
    run(application);
#endif
}

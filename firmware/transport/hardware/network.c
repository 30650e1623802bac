/* The loop over the chip's own sockets. */
#include "network.h"

#include "clock.h"
#include "console.h"
#include "interrupt.h"
#include "network_settings.h"
#include "pools.h"
#include "report.h"
#include "seats.h"
#include "spi.h"
#include "tick.h"
#include "watch.h"
#include "watchdog.h"
#include "wiznet.h"

/* The longest sleep: the link may have gone. */
#define LONGEST_SLEEP_MS 500u
#define READY_LOOK_MS 100u
/* How often a socket that takes leave is looked at. */
#define LEAVING_LOOK_US 1000u

uint32_t network_address(void) { return setting_address; }

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
        } else if (wiznet_socket_state(&board_wiznet, n) != WIZNET_SOCKET_LISTENING) {
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
        enum wiznet_socket_state state;
        uint8_t events = wiznet_socket_take_events(&board_wiznet, n, &state);
        if (seat->role == DATAGRAMS) {
            seat->has_datagrams = false;
            seat->must_send = !wiznet_socket_send(&board_wiznet, n);
            seat->serve_datagrams(seat);
        } else {
            stream_serve(seat, events, state);
        }
    }
}

/* Interrupts are held meanwhile, so that one that comes after the look ends the sleep before it begins. */
static void sleep_until_called(void) {
    uint32_t held = interrupts_hold();
    uint32_t limit_us = tick_wait_ms(LONGEST_SLEEP_MS) * 1000u;
    if (is_any_leaving() && limit_us > LEAVING_LOOK_US) {
        limit_us = LEAVING_LOOK_US;
    }
    uint32_t quiet_us = watch_quiet_us(limit_us);
    if (quiet_us) {
        clock_sleep(quiet_us);
    }
    interrupts_release(held);
}

static bool start_chip(void) {
    const uint8_t mac[6] = NETWORK_MAC;
    if (wiznet_start(&board_wiznet, setting_spi_hz, mac) != WIZNET_READY) {
        return false;
    }
    wiznet_share_memory(&board_wiznet, seats_in_all());
    wiznet_set_addresses(&board_wiznet, &(struct wiznet_addresses){setting_address, setting_mask, setting_gateway});
    return true;
}

static void start(const struct application *application) {
    clock_start();
    console_start(setting_console_baud);
    if (setting_watchdog_ms) {
        watchdog_start(setting_watchdog_ms);
    }
    spi_set_dma_from(setting_spi_dma_from_bytes);
    start_chip();
    report_start(application->name, "the chip's own sockets", wiznet_chip_name(&board_wiznet),
                 wiznet_spi_hz(&board_wiznet));
    watch_start(setting_wiznet_int, setting_wiznet_poll_us, setting_wiznet_poll_raster);
}

/* A board without a cable is not one that hangs: the watchdog is fed meanwhile. A chip that comes late is started
 * anew. */
static void wait_until_ready(void) {
    uint32_t from = clock_ms();
    for (;;) {
        watchdog_feed();
        enum wiznet_fault fault = wiznet_wait_until_ready(&board_wiznet, READY_LOOK_MS);
        if (fault == WIZNET_READY) {
            return;
        }
        if (clock_ms() - from >= setting_ready_limit_ms) {
            from = clock_ms();
            report_problem(wiznet_sentence(&board_wiznet, fault));
        }
        if (fault == WIZNET_NO_CHIP) {
            start_chip();
        }
    }
}

void network_run(const struct application *application) {
    start(application);
    wait_until_ready();
    wiznet_watch_sockets(&board_wiznet, (1u << seats_in_all()) - 1u);
    report_ready();
    tick_begin();
    application->start();
    streams_flush();
    for (;;) {
        watchdog_feed();
        serve(watch_is_calling() ? wiznet_interrupts(&board_wiznet) : 0);
        if (tick_call_if_due(application)) {
            streams_flush();
        }
        if (!has_something_to_look_at()) {
            sleep_until_called();
        }
    }
}

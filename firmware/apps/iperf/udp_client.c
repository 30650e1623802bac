/* The UDP client: datagrams at a rate, then the last one again and again until the server's report comes. */
#include <stddef.h>

#include "clock.h"
#include "console.h"
#include "iperf.h"
#include "network.h"
#include "rate.h"
#include "settings.h"

USES_SETTING(peer);
USES_SETTING(peer_port);
USES_SETTING(time_ms);
USES_SETTING(amount_bytes);
SETTING(udp_rate, 1000000, "bit/s 1..4294967295", "the UDP client's rate, counted as payload");
SETTING(datagram_bytes, 1470, "bytes 40..1472", "the payload of the UDP client's datagrams");

/* Any port but iperf's own. */
#define OWN_PORT 50010u
/* How many datagrams that are late go out at once. */
#define BURST 32u
/* iperf 2.1.8: a quarter of a second, ten times. */
#define REPORT_WAIT_US 250000u
#define REPORT_TRIES 10u

static struct datagrams *datagrams;
static uint8_t bytes[DATAGRAM_MOST_BYTES] __attribute__((aligned(4)));
static struct {
    uint32_t sent, tries, last_us;
    uint64_t time_us, sent_us, asked_us;
    size_t size;
    bool is_done;
} test;

static size_t wanted_size(void) {
    uint32_t wanted = setting_datagram_bytes;
    return wanted < IPERF_LEAST_DATAGRAM_BYTES ? IPERF_LEAST_DATAGRAM_BYTES
           : wanted > DATAGRAM_MOST_BYTES      ? DATAGRAM_MOST_BYTES
                                               : wanted;
}

/* From the start, so that no rounding adds up. */
static uint64_t due_us(uint32_t number) {
    uint32_t rate = setting_udp_rate ? setting_udp_rate : 1;
    return (uint64_t)number * test.size * 8u * 1000000u / rate;
}

static bool is_over(void) {
    if (setting_amount_bytes) {
        return (uint64_t)test.sent * test.size >= setting_amount_bytes;
    }
    uint64_t limit_us = (uint64_t)setting_time_ms * 1000u;
    return test.time_us >= limit_us || due_us(test.sent) >= limit_us;
}

static bool send_one(int32_t number) {
    const struct endpoint server = {setting_peer, (uint16_t)setting_peer_port};
    iperf_number_datagram(bytes, number, test.time_us);
    return datagram_send(datagrams, &server, bytes, test.size);
}

static void received(void *context, const struct endpoint *from, const uint8_t *answer, size_t count) {
    (void)context;
    struct iperf_report report;
    if (test.is_done || from->address != setting_peer || !iperf_read_report(answer, count, &report)) {
        return;
    }
    test.is_done = true;
    rate_report("UDP client, whole", (uint64_t)test.sent * test.size, test.sent_us);
    tell_report(&report);
    console_text("done\n");
}

/* Milliseconds until then, rounded down: the rest goes by asking again. */
static uint32_t milliseconds_to(uint64_t us) { return us > test.time_us ? (uint32_t)((us - test.time_us) / 1000u) : 0; }

static uint32_t ask_for_report(void) {
    if (test.tries && test.time_us - test.asked_us < REPORT_WAIT_US) {
        return milliseconds_to(test.asked_us + REPORT_WAIT_US);
    }
    if (test.tries == REPORT_TRIES) {
        test.is_done = true;
        console_text("error: no report came from the server: does iperf -s -u run there?\ndone\n");
        return NETWORK_NEVER;
    }
    if (send_one(-(int32_t)test.sent)) {
        test.tries++;
        test.asked_us = test.time_us;
    }
    return 1;
}

uint32_t udp_client_tick(uint32_t now_ms) {
    (void)now_ms;
    if (test.is_done) {
        return NETWORK_NEVER;
    }
    uint32_t now_us = clock_us();
    test.time_us += now_us - test.last_us;
    test.last_us = now_us;
    for (unsigned n = 0; n < BURST && !is_over(); n++) {
        if (due_us(test.sent) > test.time_us || !send_one((int32_t)test.sent)) {
            return milliseconds_to(due_us(test.sent));
        }
        test.sent++;
    }
    if (!is_over()) {
        return 0;
    }
    test.sent_us = test.sent_us ? test.sent_us : test.time_us;
    return ask_for_report();
}

bool udp_client_start(void) {
    datagrams = network_bind(OWN_PORT, received, NULL);
    test.last_us = clock_us();
    test.size = wanted_size();
    iperf_fill_datagram(bytes, test.size);
    return datagrams != NULL;
}

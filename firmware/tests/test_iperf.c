/* iperf 2's packets and what a server counts: against bytes as Debian's iperf 2.1.8 sends them, and against jitter in
 * floating point. */
#include <math.h>
#include <stdint.h>

#include "expect.h"
#include "iperf_session.h"

/* The beginning of the first datagram of `iperf -c 127.0.0.1 -u -l 60`, 2.1.8: number, seconds, microseconds, the
 * number's upper half, flags. */
static const uint8_t first_of_218[] = {0,    0,    0,    1,    0x6b, 0x02, 0xa4, 0x66, 0x00, 0x0d,
                                       0xd1, 0xbb, 0x00, 0x00, 0x00, 0x00, 0x48, 0x01, 0x00, 0x98};

static struct iperf_datagram datagram(int64_t number, uint32_t sent_us) {
    return (struct iperf_datagram){.number = number, .sent_us = sent_us, .is_long = true};
}

static void a_datagram_of_218_is_read(void) {
    struct iperf_datagram read;
    EXPECT(iperf_read_datagram(first_of_218, sizeof first_of_218, &read));
    EXPECT(read.is_long);
    EXPECT_EQUAL(read.number, 1);
    EXPECT_EQUAL(read.sent_us, (uint32_t)(0x6b02a466ull * 1000000u + 0xdd1bb));
}

static void the_last_number_is_negative_in_both_layouts(void) {
    uint8_t bytes[20] = {0};
    struct iperf_datagram read;
    memset(bytes, 0xff, 4);
    bytes[3] = 0xfe;
    EXPECT(iperf_read_datagram(bytes, 12, &read));
    EXPECT(!read.is_long);
    EXPECT_EQUAL(read.number, -2);
    memset(bytes + 12, 0xff, 4);
    bytes[16] = 0x08;
    EXPECT(iperf_read_datagram(bytes, 20, &read));
    EXPECT(read.is_long);
    EXPECT_EQUAL(read.number, -2);
}

static void what_is_too_short_is_refused(void) {
    struct iperf_datagram read;
    struct iperf_report report;
    for (size_t count = 0; count < 12; count++) {
        EXPECT(!iperf_read_datagram(first_of_218, count, &read));
    }
    uint8_t answer[IPERF_REPORT_DATAGRAM_BYTES];
    struct iperf_report zero = {0};
    size_t size = iperf_write_report(answer, sizeof answer, first_of_218, sizeof first_of_218, true, &zero);
    EXPECT_EQUAL(size, 56);
    EXPECT(iperf_read_report(answer, size, &report));
    for (size_t count = 0; count < size; count++) {
        EXPECT(!iperf_read_report(answer, count, &report));
    }
}

static void a_report_comes_back_as_it_was_in_both_layouts(void) {
    const struct iperf_report wanted = {.bytes = 5000000000u,
                                        .time_us = 10012345,
                                        .lost = 3,
                                        .out_of_order = 2,
                                        .datagrams = 893,
                                        .jitter_us = 1234567};
    for (int is_long = 0; is_long < 2; is_long++) {
        uint8_t last[IPERF_LEAST_DATAGRAM_BYTES], answer[1470];
        struct iperf_report report;
        iperf_fill_datagram(last, sizeof last);
        iperf_number_datagram(last, -893, 0);
        size_t size = iperf_write_report(answer, sizeof answer, last, sizeof last, is_long, &wanted);
        EXPECT_EQUAL(size, is_long ? 56 : 52);
        EXPECT(!memcmp(answer, last, 12));
        EXPECT(iperf_read_report(answer, size, &report));
        EXPECT_EQUAL(report.bytes, wanted.bytes);
        EXPECT_EQUAL(report.time_us, wanted.time_us);
        EXPECT_EQUAL(report.lost, 3);
        EXPECT_EQUAL(report.out_of_order, 2);
        EXPECT_EQUAL(report.datagrams, 893);
        EXPECT_EQUAL(report.jitter_us, 1234567);
    }
}

static void what_a_client_sends_is_read_as_sent(void) {
    uint8_t bytes[1470];
    struct iperf_datagram read;
    iperf_fill_datagram(bytes, sizeof bytes);
    iperf_number_datagram(bytes, -851, 2000001);
    EXPECT(iperf_read_datagram(bytes, sizeof bytes, &read));
    EXPECT_EQUAL(read.number, -851);
    EXPECT_EQUAL(read.sent_us, 2000001);
    EXPECT(!read.is_long);
    EXPECT_EQUAL(bytes[1469], '9');
}

static void lost_and_overtaken_datagrams_are_told_apart(void) {
    static const int64_t numbers[] = {1, 2, 5, 3, 6, 6, 9};
    struct iperf_session session;
    struct iperf_datagram first = datagram(1, 0);
    iperf_session_start(&session, &first, 1000);
    for (unsigned n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        struct iperf_datagram next = datagram(numbers[n], 1000 * n);
        iperf_session_count(&session, &next, 1470, 1000 + 1000 * n);
    }
    struct iperf_datagram last = datagram(-12, 0);
    const struct iperf_report *report = iperf_session_end(&session, &last);
    /* Missing were 3, 4, 7, 8 and after the end 10 and 11; 3 came late, 6 twice. */
    EXPECT_EQUAL(report->lost, 6 - 2);
    EXPECT_EQUAL(report->out_of_order, 2);
    EXPECT_EQUAL(report->datagrams, 11);
    EXPECT_EQUAL(report->bytes, 7 * 1470);
    EXPECT_EQUAL(report->time_us, 6000);
    EXPECT_EQUAL(report->jitter_us, 0);
    struct iperf_datagram again = datagram(-99, 0);
    EXPECT_EQUAL(iperf_session_end(&session, &again)->datagrams, 11);
}

/* Both clocks wrap on the way. */
static void jitter_is_that_of_rfc_1889(void) {
    uint32_t now_us = UINT32_MAX - 20000, sent_us = UINT32_MAX - 5000, random = 1;
    struct iperf_session session;
    struct iperf_datagram first = datagram(1, sent_us);
    double jitter = 0, last_delay = 0;
    iperf_session_start(&session, &first, now_us);
    for (int n = 1; n <= 500; n++) {
        random = random * 1664525u + 1013904223u;
        double delay = (random >> 16) % 3000;
        struct iperf_datagram next = datagram(n, sent_us + 2000u * (uint32_t)n);
        iperf_session_count(&session, &next, 100, now_us + 2000u * (uint32_t)n + (uint32_t)delay);
        if (n > 1) {
            jitter += (fabs(delay - last_delay) - jitter) / 16;
        }
        last_delay = delay;
    }
    struct iperf_datagram last = datagram(-501, 0);
    EXPECT(fabs(iperf_session_end(&session, &last)->jitter_us - jitter) < 2);
}

static void numbers_at_the_ends_of_their_range_do_no_harm(void) {
    struct iperf_session session;
    struct iperf_datagram most = datagram(INT64_MAX, 0), least = datagram(INT64_MIN, 0);
    iperf_session_start(&session, &most, 0);
    iperf_session_count(&session, &most, 1, 5);
    iperf_session_count(&session, &most, 1, 6);
    EXPECT_EQUAL(iperf_session_end(&session, &least)->lost, UINT32_MAX);
}

int main(void) {
    a_datagram_of_218_is_read();
    the_last_number_is_negative_in_both_layouts();
    what_is_too_short_is_refused();
    a_report_comes_back_as_it_was_in_both_layouts();
    what_a_client_sends_is_read_as_sent();
    lost_and_overtaken_datagrams_are_told_apart();
    jitter_is_that_of_rfc_1889();
    numbers_at_the_ends_of_their_range_do_no_harm();
    return expect_result();
}

/* Any bytes as iperf's datagrams and reports: nothing is read out of bounds, what a session counts holds together, and
 * an answer made of any datagram is read back. */
#include "iperf_session.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check(bool is_right) {
    if (!is_right) {
        abort();
    }
}

/* The input is datagrams: a length of one byte, then so many bytes; what comes first says the time. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct iperf_session session;
    struct iperf_report report;
    bool has_session = false;
    uint32_t now_us = 0, counted = 0;
    uint64_t sum = 0;
    iperf_read_report(bytes, count, &report);
    for (size_t at = 0; at < count;) {
        size_t size = bytes[at++];
        size = size < count - at ? size : count - at;
        uint8_t *exact = malloc(size + !size), answer[300];
        memcpy(exact, bytes + at, size);
        struct iperf_datagram datagram;
        now_us += (uint32_t)(size * 1000003u);
        if (iperf_read_datagram(exact, size, &datagram)) {
            if (!has_session) {
                iperf_session_start(&session, &datagram, now_us);
                has_session = true;
            }
            if (datagram.number >= 0 && !session.has_ended) {
                iperf_session_count(&session, &datagram, size, now_us);
                counted++;
                sum += size;
            } else if (datagram.number < 0) {
                const struct iperf_report *said = iperf_session_end(&session, &datagram);
                size_t answered = iperf_write_report(answer, sizeof answer, exact, size, datagram.is_long, said);
                check(answered >= size && answered <= sizeof answer);
                check(iperf_read_report(answer, answered, &report) || !datagram.is_long);
                check(said->bytes == sum && said->out_of_order <= counted);
            }
        }
        free(exact);
        at += size;
    }
    return 0;
}

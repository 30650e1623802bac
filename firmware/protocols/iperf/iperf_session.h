/* What a UDP server keeps of one client's test: counts, times, jitter. */
#ifndef IPERF_SESSION_H
#define IPERF_SESSION_H

#include "iperf_header.h"

struct iperf_session {
    int64_t first_number, next_number;
    uint64_t bytes, time_us;
    uint64_t missing; /* numbers that were left out, those that came later among them */
    uint32_t out_of_order, received;
    uint32_t last_us, last_sent_us;
    uint32_t jitter_sixteenths_us; /* RFC 1889, appendix A.8 */
    bool has_ended;
    struct iperf_report report;
};

/* Begins with the first datagram, which iperf_session_count() counts. */
void iperf_session_start(struct iperf_session *session, const struct iperf_datagram *first, uint32_t now_us);
/* A datagram of `bytes` with a number that is not negative. */
void iperf_session_count(struct iperf_session *session, const struct iperf_datagram *datagram, size_t bytes,
                         uint32_t now_us);
/* The last datagram has come: the report, the same each time that it is asked for. */
const struct iperf_report *iperf_session_end(struct iperf_session *session, const struct iperf_datagram *last);

#endif

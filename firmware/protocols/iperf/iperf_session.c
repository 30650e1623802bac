/* Implementation of iperf_session.h. */
#include "iperf_session.h"

/* A client's first number is 1 since iperf 2.1, which has numbers of 64 bits, and was 0 before. */
void iperf_session_start(struct iperf_session *session, const struct iperf_datagram *first, uint32_t now_us) {
    int64_t number = first->is_long ? 1 : 0;
    *session = (struct iperf_session){.first_number = number, .next_number = number, .last_us = now_us};
}

/* Transit times are of two clocks: only their differences mean something, and those may wrap. The filter's gain is
 * 1/16, and its state is kept in sixteenths, rounded as in RFC 1889. */
static void add_jitter(struct iperf_session *session, uint32_t sent_us, uint32_t now_us) {
    int32_t difference = (int32_t)((now_us - session->last_us) - (sent_us - session->last_sent_us));
    uint32_t size = difference < 0 ? 0u - (uint32_t)difference : (uint32_t)difference;
    /* Clocks that jump would spoil the filter for good. */
    size = size < INT32_MAX / 16 ? size : INT32_MAX / 16;
    session->jitter_sixteenths_us += size - ((session->jitter_sixteenths_us + 8u) >> 4);
}

void iperf_session_count(struct iperf_session *session, const struct iperf_datagram *datagram, size_t bytes,
                         uint32_t now_us) {
    if (session->received) {
        add_jitter(session, datagram->sent_us, now_us);
    }
    session->time_us += now_us - session->last_us;
    session->last_us = now_us;
    session->last_sent_us = datagram->sent_us;
    session->received++;
    session->bytes += bytes;
    if (datagram->number >= session->next_number) {
        session->missing += (uint64_t)datagram->number - (uint64_t)session->next_number;
        session->next_number = datagram->number < INT64_MAX ? datagram->number + 1 : INT64_MAX;
    } else {
        session->out_of_order++;
    }
}

static uint32_t limited(uint64_t value) { return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX; }

const struct iperf_report *iperf_session_end(struct iperf_session *session, const struct iperf_datagram *last) {
    if (session->has_ended) {
        return &session->report;
    }
    session->has_ended = true;
    int64_t number = last->number > INT64_MIN ? -last->number : INT64_MAX;
    /* What was sent after the last datagram that arrived is missing too. */
    uint64_t missing = session->missing;
    if (number > session->next_number) {
        missing += (uint64_t)(number - session->next_number);
    }
    session->report = (struct iperf_report){
        .bytes = session->bytes,
        .time_us = session->time_us,
        /* Those out of order were missing at first; a datagram that came twice counts as out of order too. */
        .lost = limited(missing > session->out_of_order ? missing - session->out_of_order : 0),
        .out_of_order = session->out_of_order,
        .datagrams = limited(number > session->first_number ? (uint64_t)(number - session->first_number) : 0),
        .jitter_us = session->jitter_sixteenths_us >> 4,
    };
    return &session->report;
}

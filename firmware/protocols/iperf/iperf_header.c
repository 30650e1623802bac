/* Implementation of iperf_header.h. No byte is read that was not received. */
#include "iperf_header.h"

#include <string.h>

#include "network_order.h"

#define SHORT_LAYOUT_BYTES 12u
#define LONG_LAYOUT_BYTES 16u
#define HAS_REPORT 0x80000000u
#define LONG_NUMBERS 0x08000000u
#define MICROSECONDS 1000000u

static uint8_t *put_time(uint8_t *to, uint64_t time_us) {
    to = network_put_word(to, (uint32_t)(time_us / MICROSECONDS));
    return network_put_word(to, (uint32_t)(time_us % MICROSECONDS));
}

bool iperf_read_datagram(const uint8_t *bytes, size_t count, struct iperf_datagram *datagram) {
    if (count < SHORT_LAYOUT_BYTES) {
        return false;
    }
    uint32_t low = network_word(bytes);
    datagram->is_long = count >= LONG_LAYOUT_BYTES + 4 && (network_word(bytes + LONG_LAYOUT_BYTES) & LONG_NUMBERS);
    datagram->number = datagram->is_long ? (int64_t)((uint64_t)network_word(bytes + 12) << 32 | low) : (int32_t)low;
    datagram->sent_us = network_word(bytes + 4) * MICROSECONDS + network_word(bytes + 8);
    return true;
}

void iperf_write_client_head(uint8_t bytes[IPERF_CLIENT_HEAD_BYTES], uint32_t buffer_bytes) {
    const uint32_t words[] = {0, 1, IPERF_PORT, buffer_bytes, 0, 0};
    for (unsigned n = 0; n < IPERF_CLIENT_HEAD_BYTES / 4; n++) {
        bytes = network_put_word(bytes, words[n]);
    }
}

void iperf_number_datagram(uint8_t *bytes, int32_t number, uint64_t now_us) {
    put_time(network_put_word(bytes, (uint32_t)number), now_us);
}

void iperf_fill_datagram(uint8_t *bytes, size_t count) {
    memset(bytes, 0, LONG_LAYOUT_BYTES);
    iperf_write_client_head(bytes + LONG_LAYOUT_BYTES, (uint32_t)count);
    for (size_t at = IPERF_LEAST_DATAGRAM_BYTES; at < count; at++) {
        bytes[at] = (uint8_t)('0' + at % 10);
    }
}

bool iperf_read_report(const uint8_t *bytes, size_t count, struct iperf_report *report) {
    size_t at = SHORT_LAYOUT_BYTES;
    if (count >= at + 4 && !(network_word(bytes + at) & HAS_REPORT)) {
        at = LONG_LAYOUT_BYTES;
    }
    if (count < at + IPERF_REPORT_BYTES || !(network_word(bytes + at) & HAS_REPORT)) {
        return false;
    }
    *report = (struct iperf_report){
        .bytes = (uint64_t)network_word(bytes + at + 4) << 32 | network_word(bytes + at + 8),
        .time_us = (uint64_t)network_word(bytes + at + 12) * MICROSECONDS + network_word(bytes + at + 16),
        .lost = network_word(bytes + at + 20),
        .out_of_order = network_word(bytes + at + 24),
        .datagrams = network_word(bytes + at + 28),
        .jitter_us = network_word(bytes + at + 32) * MICROSECONDS + network_word(bytes + at + 36),
    };
    return true;
}

size_t iperf_write_report(uint8_t *answer, size_t capacity, const uint8_t *last, size_t count, bool is_long,
                          const struct iperf_report *report) {
    size_t at = is_long ? LONG_LAYOUT_BYTES : SHORT_LAYOUT_BYTES, size = count < capacity ? count : capacity;
    memcpy(answer, last, size);
    if (size < at + IPERF_REPORT_BYTES) {
        memset(answer + size, 0, at + IPERF_REPORT_BYTES - size);
        size = at + IPERF_REPORT_BYTES;
    }
    uint8_t *to = network_put_word(answer + at, HAS_REPORT | (is_long ? LONG_NUMBERS : 0));
    to = network_put_word(to, (uint32_t)(report->bytes >> 32));
    to = network_put_word(to, (uint32_t)report->bytes);
    to = put_time(to, report->time_us);
    to = network_put_word(to, report->lost);
    to = network_put_word(to, report->out_of_order);
    to = network_put_word(to, report->datagrams);
    put_time(to, report->jitter_us);
    return size;
}

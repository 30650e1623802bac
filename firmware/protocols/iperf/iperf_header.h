/* What stands in the packets of iperf 2 (payloads.h of iperf 2.1, and the packets of Debian's 2.1.8): 32-bit words in
 * network order. A UDP test is datagrams with a number and a time of sending; the last has its number negated, and the
 * server answers it with its report. A TCP test is one connection with a head of flags and then anything.
 *
 * Left out: tests both ways, parallel streams of one client, isochronous and trip-time tests, the extended report. */
#ifndef IPERF_HEADER_H
#define IPERF_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IPERF_PORT 5001u
/* The client's head: flags, threads, port, size of its buffer, bandwidth, amount. */
#define IPERF_CLIENT_HEAD_BYTES 24u
/* Number, seconds, microseconds, upper half of the number, and the client's head. */
#define IPERF_LEAST_DATAGRAM_BYTES (16u + IPERF_CLIENT_HEAD_BYTES)
/* A report is ten words. A datagram with one holds at least so much: the longer layout of the number before it. */
#define IPERF_REPORT_BYTES 40u
#define IPERF_REPORT_DATAGRAM_BYTES (16u + IPERF_REPORT_BYTES)

struct iperf_datagram {
    int64_t number;   /* negative in the last one */
    uint32_t sent_us; /* on the sender's clock; wraps */
    bool is_long;     /* numbers have 64 bits, and reports stand 4 bytes later */
};

struct iperf_report {
    uint64_t bytes, time_us;
    uint32_t lost, out_of_order, datagrams, jitter_us;
};

/* Whether `count` bytes are a client's datagram; its fields. */
bool iperf_read_datagram(const uint8_t *bytes, size_t count, struct iperf_datagram *datagram);
/* Fills a client's datagram of `count` bytes, at least IPERF_LEAST_DATAGRAM_BYTES; then number and time for each. */
void iperf_fill_datagram(uint8_t *bytes, size_t count);
void iperf_number_datagram(uint8_t *bytes, int32_t number, uint64_t now_us);
void iperf_write_client_head(uint8_t bytes[IPERF_CLIENT_HEAD_BYTES], uint32_t buffer_bytes);

/* Whether `count` bytes are a server's answer, in either layout; its fields. */
bool iperf_read_report(const uint8_t *bytes, size_t count, struct iperf_report *report);
/* Makes the answer to a client's last datagram of `count` bytes, which it repeats as far as `capacity` reaches; that is
 * at least IPERF_REPORT_DATAGRAM_BYTES. Returns its size. */
size_t iperf_write_report(uint8_t *answer, size_t capacity, const uint8_t *last, size_t count, bool is_long,
                          const struct iperf_report *report);

#endif

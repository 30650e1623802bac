/* The other end of the small stack in tests: builds and reads frames with code of its own, by the RFCs' pictures of
 * headers, and computes every checksum anew. */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PEER_MOST_BYTES 1600u
/* 192.168.1.50 with mask 255.255.255.0 is the stack, 192.168.1.1 the router and the peer. */
extern const uint8_t own_mac[6], peer_mac[6], own_ip[4], peer_ip[4], far_ip[4];

struct bytes {
    uint8_t at[PEER_MOST_BYTES];
    size_t count;
};

/* The stack begins anew, with nothing learned. */
void peer_begin(void);
/* Gives the stack a frame; what it answers at once. */
struct bytes peer_gives(const struct bytes *frame, uint32_t now_ms);
/* The next frame that it sends of its own accord; none has 0 bytes. */
struct bytes peer_hears(uint32_t now_ms);

struct bytes peer_arp(uint16_t operation, const uint8_t sender[4], const uint8_t target[4]);
/* A packet to the stack, with what is behind its IP header. */
struct bytes peer_packet(uint8_t protocol, const uint8_t from[4], const uint8_t to[4], const uint8_t *payload,
                         size_t count);
struct bytes peer_echo(size_t payload_bytes);
struct bytes peer_datagram(uint16_t from_port, uint16_t to_port, const char *text);

/* A segment, in both directions. */
struct peer_segment {
    uint16_t from_port, to_port, window;
    uint32_t sequence, acknowledged;
    uint8_t flags;
    uint16_t mss; /* 0 for no option */
    const char *text;
    size_t count;
};
#define FIN 1u
#define SYN 2u
#define RST 4u
#define PSH 8u
#define ACK 16u
struct bytes peer_tcp(const struct peer_segment *segment);

/* The sum of RFC 1071 over a whole packet's header, or over what is behind it with its pseudo header: 0 where it is
 * right. */
uint16_t peer_ip_sum(const struct bytes *frame);
uint16_t peer_payload_sum(const struct bytes *frame);
/* Reads what the stack sent; false where it is no segment or a checksum is wrong. */
bool peer_reads(const struct bytes *frame, struct peer_segment *segment);

#endif

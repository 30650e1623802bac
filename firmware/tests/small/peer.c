/* Implementation of peer.h. */
#include "peer.h"

#include <string.h>

#include "frame.h"
#include "stack.h"
#include "tcp.h"
#include "udp.h"

const uint8_t own_mac[6] = {2, 0, 0, 0x41, 0x57, 0x50}, peer_mac[6] = {2, 0, 0, 0, 0, 1};
const uint8_t own_ip[4] = {192, 168, 1, 50}, peer_ip[4] = {192, 168, 1, 1}, far_ip[4] = {10, 1, 2, 3};

static uint32_t address(const uint8_t octets[4]) {
    uint32_t value;
    memcpy(&value, octets, 4);
    return value;
}

void peer_begin(void) {
    static const uint8_t mask[4] = {255, 255, 255, 0};
    struct stack_addresses own = {.address = address(own_ip), .mask = address(mask), .gateway = address(peer_ip)};
    memcpy(own.mac, own_mac, 6);
    stack_begin(&own);
    udp_begin();
    tcp_begin();
}

static struct bytes sent(size_t count) {
    struct bytes bytes = {.count = count};
    memcpy(bytes.at, frame, count);
    return bytes;
}

struct bytes peer_gives(const struct bytes *given, uint32_t now_ms) {
    memset(frame, 0xa5, SMALL_FRAME_BYTES);
    memcpy(frame, given->at, given->count < SMALL_FRAME_BYTES ? given->count : SMALL_FRAME_BYTES);
    return sent(stack_input(given->count, now_ms));
}

struct bytes peer_hears(uint32_t now_ms) {
    memset(frame, 0xa5, SMALL_FRAME_BYTES);
    return sent(stack_output(now_ms));
}

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value) {
    put16(at, value >> 16);
    put16(at + 2, value);
}

static uint32_t get16(const uint8_t *at) { return (uint32_t)at[0] * 256u + at[1]; }
static uint32_t get32(const uint8_t *at) { return get16(at) * 65536u + get16(at + 2); }

/* RFC 1071 in 64 bits: the sum of all words, folded at the end. */
static uint64_t sum_of(const uint8_t *at, size_t count) {
    uint64_t sum = 0;
    for (size_t n = 0; n < count; n++) {
        sum += n % 2 ? at[n] : (uint64_t)at[n] * 256u;
    }
    return sum;
}

static uint16_t folded(uint64_t sum) {
    while (sum > 65535u) {
        sum = sum % 65536u + sum / 65536u;
    }
    return (uint16_t)(65535u - sum);
}

uint16_t peer_ip_sum(const struct bytes *bytes) { return folded(sum_of(bytes->at + 14, 20)); }

uint16_t peer_payload_sum(const struct bytes *bytes) {
    size_t count = get16(bytes->at + 16) - 20u;
    uint64_t sum = sum_of(bytes->at + 34, count);
    if (bytes->at[23] != 1) {
        sum += sum_of(bytes->at + 26, 8) + bytes->at[23] + count;
    }
    return folded(sum);
}

struct bytes peer_arp(uint16_t operation, const uint8_t sender[4], const uint8_t target[4]) {
    struct bytes bytes = {.count = 60};
    memset(bytes.at, 0xff, 6);
    memcpy(bytes.at + 6, peer_mac, 6);
    put16(bytes.at + 12, 0x0806);
    static const uint8_t formats[6] = {0, 1, 8, 0, 6, 4};
    memcpy(bytes.at + 14, formats, 6);
    put16(bytes.at + 20, operation);
    memcpy(bytes.at + 22, peer_mac, 6);
    memcpy(bytes.at + 28, sender, 4);
    memcpy(bytes.at + 38, target, 4);
    return bytes;
}

struct bytes peer_packet(uint8_t protocol, const uint8_t from[4], const uint8_t to[4], const uint8_t *payload,
                         size_t count) {
    struct bytes bytes = {.count = 34 + count < 60 ? 60 : 34 + count};
    memcpy(bytes.at, own_mac, 6);
    memcpy(bytes.at + 6, peer_mac, 6);
    put16(bytes.at + 12, 0x0800);
    bytes.at[14] = 0x45;
    put16(bytes.at + 16, (uint32_t)(20 + count));
    put16(bytes.at + 18, 0x1234);
    bytes.at[22] = 57;
    bytes.at[23] = protocol;
    memcpy(bytes.at + 26, from, 4);
    memcpy(bytes.at + 30, to, 4);
    put16(bytes.at + 24, peer_ip_sum(&bytes));
    memcpy(bytes.at + 34, payload, count);
    return bytes;
}

struct bytes peer_echo(size_t payload_bytes) {
    uint8_t payload[PEER_MOST_BYTES] = {8, 0, 0, 0, 0xbe, 0xef, 0, 7};
    for (size_t n = 0; n < payload_bytes; n++) {
        payload[8 + n] = (uint8_t)(n * 7 + n / 256);
    }
    struct bytes bytes = peer_packet(1, peer_ip, own_ip, payload, 8 + payload_bytes);
    put16(bytes.at + 36, peer_payload_sum(&bytes));
    return bytes;
}

struct bytes peer_datagram(uint16_t from_port, uint16_t to_port, const char *text) {
    uint8_t payload[PEER_MOST_BYTES] = {0};
    put16(payload, from_port);
    put16(payload + 2, to_port);
    put16(payload + 4, (uint32_t)(8 + strlen(text)));
    memcpy(payload + 8, text, strlen(text));
    struct bytes bytes = peer_packet(17, peer_ip, own_ip, payload, 8 + strlen(text));
    put16(bytes.at + 40, peer_payload_sum(&bytes));
    return bytes;
}

struct bytes peer_tcp(const struct peer_segment *segment) {
    uint8_t payload[PEER_MOST_BYTES] = {0};
    size_t header = segment->mss ? 24 : 20;
    put16(payload, segment->from_port);
    put16(payload + 2, segment->to_port);
    put32(payload + 4, segment->sequence);
    put32(payload + 8, segment->acknowledged);
    payload[12] = (uint8_t)(header / 4 * 16);
    payload[13] = segment->flags;
    put16(payload + 14, segment->window);
    if (segment->mss) {
        put16(payload + 20, 0x0204);
        put16(payload + 22, segment->mss);
    }
    if (segment->count) {
        memcpy(payload + header, segment->text, segment->count);
    }
    struct bytes bytes = peer_packet(6, peer_ip, own_ip, payload, header + segment->count);
    put16(bytes.at + 50, peer_payload_sum(&bytes));
    return bytes;
}

bool peer_reads(const struct bytes *bytes, struct peer_segment *segment) {
    const uint8_t *at = bytes->at;
    if (bytes->count < 54 || memcmp(at, peer_mac, 6) || memcmp(at + 6, own_mac, 6) || get16(at + 12) != 0x0800 ||
        at[23] != 6 || get16(at + 16) != bytes->count - 14 || peer_ip_sum(bytes) || peer_payload_sum(bytes)) {
        return false;
    }
    size_t header = at[46] / 16u * 4u;
    *segment = (struct peer_segment){
        .from_port = (uint16_t)get16(at + 34),
        .to_port = (uint16_t)get16(at + 36),
        .sequence = get32(at + 38),
        .acknowledged = get32(at + 42),
        .flags = at[47],
        .window = (uint16_t)get16(at + 48),
    };
    segment->mss = header == 24 && get16(at + 54) == 0x0204 ? (uint16_t)get16(at + 56) : 0;
    segment->text = (const char *)at + 34 + header;
    segment->count = bytes->count - 34 - header;
    return true;
}

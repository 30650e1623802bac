/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Packets to the chip's firmware and from it: requests with their answers, events, credits. Inside the driver only. */
#ifndef CYW43_CONTROL_H
#define CYW43_CONTROL_H

#include "cyw43.h"

/* What a packet from the chip turned out to be. */
enum cyw43_packet { CYW43_NOTHING, CYW43_TAKEN, CYW43_FRAME };

/* Takes the next packet from the chip. Answers and events are taken care of; an Ethernet frame is left open, with its
 * size in `frame_bytes`, until cyw43_packet_end_read(). */
enum cyw43_packet cyw43_take_packet(struct cyw43 *cyw43);
/* Whether the chip takes one more packet now. */
bool cyw43_takes_packet(struct cyw43 *cyw43);
/* Begins a packet to the chip of so many bytes behind its header; `padding` of them come before the content. */
void cyw43_begin_packet(struct cyw43 *cyw43, unsigned channel, size_t padding, size_t bytes);

/* Where the content of the next request goes to, all zeros: behind the name where it has one. */
uint8_t *cyw43_content(struct cyw43 *cyw43, const char *name);
/* Makes a request whose content goes up to `end`, and waits for its answer. False where none comes, or a refusal. */
bool cyw43_request(struct cyw43 *cyw43, uint32_t command, bool sets, const uint8_t *end);
/* The same without waiting. False where the chip takes none now. */
bool cyw43_send_request(struct cyw43 *cyw43, uint32_t command, bool sets, const uint8_t *end);
/* The content of the answer, and how many bytes of it there are. */
const uint8_t *cyw43_answer(const struct cyw43 *cyw43, size_t *bytes);

/* Requests with one number, by command or by name; of a name that begins with "bsscfg:" the interface comes first. */
bool cyw43_set(struct cyw43 *cyw43, uint32_t command, uint32_t value);
bool cyw43_set_named(struct cyw43 *cyw43, const char *name, uint32_t value);

/* An event is told: station.c. */
void cyw43_event(struct cyw43 *cyw43, uint32_t kind, uint32_t status, uint32_t reason, uint32_t flags);

static inline uint8_t *cyw43_put16(uint8_t *to, uint32_t value) {
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    return to + 2;
}

static inline uint8_t *cyw43_put32(uint8_t *to, uint32_t value) {
    return cyw43_put16(cyw43_put16(to, value), value >> 16);
}

static inline uint32_t cyw43_get16(const uint8_t *from) { return from[0] | (uint32_t)from[1] << 8; }

static inline uint32_t cyw43_get32(const uint8_t *from) { return cyw43_get16(from) | cyw43_get16(from + 2) << 16; }

/* Of events, whose numbers have the highest byte first. */
static inline uint32_t cyw43_get32_wire(const uint8_t *from) {
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

#endif

/* Implementation of ring.h. Every copy is in two pieces at most. */
#include "ring.h"

#include <string.h>

static uint16_t place(const struct ring *ring, uint16_t offset) {
    uint16_t to_end = (uint16_t)(ring->bytes - ring->begin);
    return offset < to_end ? (uint16_t)(ring->begin + offset) : (uint16_t)(offset - to_end);
}

uint16_t ring_put(struct ring *ring, const uint8_t *bytes, size_t count) {
    uint16_t taken = count < ring_room(ring) ? (uint16_t)count : ring_room(ring);
    uint16_t at = place(ring, ring->count), first = (uint16_t)(ring->bytes - at);
    first = taken < first ? taken : first;
    memcpy(ring->memory + at, bytes, first);
    memcpy(ring->memory, bytes + first, (size_t)(taken - first));
    ring->count = (uint16_t)(ring->count + taken);
    return taken;
}

void ring_peek(const struct ring *ring, uint16_t offset, uint8_t *to, uint16_t count) {
    uint16_t at = place(ring, offset), first = (uint16_t)(ring->bytes - at);
    first = count < first ? count : first;
    memcpy(to, ring->memory + at, first);
    memcpy(to + first, ring->memory, (size_t)(count - first));
}

void ring_drop(struct ring *ring, uint16_t count) {
    ring->begin = place(ring, count);
    ring->count = (uint16_t)(ring->count - count);
}

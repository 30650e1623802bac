/* Bytes that wait, in memory that wraps. */
#ifndef RING_H
#define RING_H

#include <stddef.h>
#include <stdint.h>

struct ring {
    uint8_t *memory;
    uint16_t bytes, begin, count;
};

static inline uint16_t ring_room(const struct ring *ring) { return (uint16_t)(ring->bytes - ring->count); }
static inline void ring_clear(struct ring *ring) { ring->begin = ring->count = 0; }
/* As many as there is room for. */
uint16_t ring_put(struct ring *ring, const uint8_t *bytes, size_t count);
/* Copies `count` bytes, of which so many are there, from the one at `offset` on. */
void ring_peek(const struct ring *ring, uint16_t offset, uint8_t *to, uint16_t count);
void ring_drop(struct ring *ring, uint16_t count);

#endif

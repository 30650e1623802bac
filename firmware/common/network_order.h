/* Words in the order of the wire, the highest byte first. */
#ifndef NETWORK_ORDER_H
#define NETWORK_ORDER_H

#include <stdint.h>

static inline uint32_t network_word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Returns where the next one goes. */
static inline uint8_t *network_put_word(uint8_t *to, uint32_t value) {
    *to++ = (uint8_t)(value >> 24);
    *to++ = (uint8_t)(value >> 16);
    *to++ = (uint8_t)(value >> 8);
    *to++ = (uint8_t)value;
    return to;
}

#endif

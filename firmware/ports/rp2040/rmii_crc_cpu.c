/* Implementation of rmii_crc.h by the processor, a byte at a time with a table in SRAM. */
#include "rmii_crc.h"

#define POLYNOMIAL 0xedb88320u

static uint32_t table[256];
static uint32_t crc;

void rmii_crc_start(unsigned channel) {
    (void)channel;
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t value = byte;
        for (unsigned bit = 0; bit < 8; bit++) {
            value = value & 1u ? value >> 1 ^ POLYNOMIAL : value >> 1;
        }
        table[byte] = value;
    }
}

void RMII_FAST rmii_crc_begin(void) { crc = 0xffffffffu; }

uint32_t RMII_FAST rmii_crc(void) { return crc; }

static void RMII_FAST copy(uint8_t *to, const uint8_t *from, size_t count) {
    uint32_t value = crc;
    for (const uint8_t *end = from + count; from != end;) {
        uint8_t byte = *from++;
        *to++ = byte;
        value = value >> 8 ^ table[(value ^ byte) & 0xffu];
    }
    crc = value;
}

static size_t RMII_FAST straight(uint32_t place, size_t count) {
    size_t to_end = RMII_RING_BYTES - place;
    return count < to_end ? count : to_end;
}

void RMII_FAST rmii_crc_take(uint8_t *to, const uint8_t *ring, uint32_t place, size_t count) {
    size_t first = straight(place, count);
    copy(to, ring + place, first);
    copy(to + first, ring, count - first);
}

void RMII_FAST rmii_crc_put(uint8_t *ring, uint32_t place, const uint8_t *from, size_t count) {
    size_t first = straight(place, count);
    copy(ring + place, from, first);
    copy(ring, from + first, count - first);
}

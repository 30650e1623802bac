/* Implementation of crc32.h: a table of 1 KiB in RAM, made at the first call, so that a byte costs one look. */
#include "crc32.h"

#define POLYNOMIAL_REFLECTED 0xedb88320u

static uint32_t table[256];

static void make_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t value = byte;
        for (unsigned bit = 0; bit < 8; bit++) {
            value = value & 1u ? value >> 1 ^ POLYNOMIAL_REFLECTED : value >> 1;
        }
        table[byte] = value;
    }
}

uint32_t crc32(uint32_t crc, const uint8_t *bytes, size_t count) {
    if (!table[1]) {
        make_table();
    }
    crc = ~crc;
    for (size_t at = 0; at < count; at++) {
        crc = crc >> 8 ^ table[(crc ^ bytes[at]) & 0xffu];
    }
    return ~crc;
}

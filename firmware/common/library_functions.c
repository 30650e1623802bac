/* Functions of the C library in place of newlib's: copies by words where both ends are aligned, as on a Cortex-M0+ a
 * byte at a time costs four times as much, and atoi() without locales. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    uint8_t *out = to;
    const uint8_t *in = from;
    if ((((uintptr_t)out ^ (uintptr_t)in) & 3u) == 0) {
        for (; count && ((uintptr_t)out & 3u); count--) {
            *out++ = *in++;
        }
        uint32_t *words_out = (uint32_t *)(void *)out;
        const uint32_t *words_in = (const uint32_t *)(const void *)in;
        for (; count >= 16; count -= 16, words_out += 4, words_in += 4) {
            uint32_t a = words_in[0], b = words_in[1], c = words_in[2], d = words_in[3];
            words_out[0] = a;
            words_out[1] = b;
            words_out[2] = c;
            words_out[3] = d;
        }
        for (; count >= 4; count -= 4) {
            *words_out++ = *words_in++;
        }
        out = (uint8_t *)words_out;
        in = (const uint8_t *)words_in;
    }
    while (count--) {
        *out++ = *in++;
    }
    return to;
}

void *memset(void *to, int value, size_t count) {
    uint8_t *out = to;
    for (; count && ((uintptr_t)out & 3u); count--) {
        *out++ = (uint8_t)value;
    }
    uint32_t word = (uint8_t)value * 0x01010101u;
    for (; count >= 4; count -= 4, out += 4) {
        *(uint32_t *)(void *)out = word;
    }
    while (count--) {
        *out++ = (uint8_t)value;
    }
    return to;
}

/* lwIP reads the numbers of its interfaces' names by it. */
int atoi(const char *text) {
    int value = 0;
    while (*text >= '0' && *text <= '9' && value < 100000) {
        value = value * 10 + (*text++ - '0');
    }
    return value;
}

/* Functions of the C library in place of newlib's: memset() by words, as on a Cortex-M0+ a byte at a time costs four
 * times as much, and atoi() without locales. memcpy() is the port's. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

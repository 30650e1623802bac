/* Text that is put together in memory: numbers and words behind one another. */
#ifndef TEXT_H
#define TEXT_H

#include <stdint.h>

/* Both return where the text ends; nothing follows it. */
static inline char *append_text(char *to, const char *text) {
    while (*text) {
        *to++ = *text++;
    }
    return to;
}

static inline char *append_decimal(char *to, uint32_t value) {
    char digits[10];
    uint32_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (count) {
        *to++ = digits[--count];
    }
    return to;
}

#endif

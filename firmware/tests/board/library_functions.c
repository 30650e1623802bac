/* The port's own copies and checksums on the board that they are written for: every place within a word, and lengths
 * around those where a loop begins or ends, against loops of one byte. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "clock.h"
#include "console.h"

unsigned short port_checksum(const void *bytes, int count);

#define LONGEST_BYTES 200u
#define GUARD_BYTES 8u
#define GUARD 0xa5u

static _Alignas(4) uint8_t from[4 + LONGEST_BYTES + GUARD_BYTES], to[GUARD_BYTES + 4 + LONGEST_BYTES + GUARD_BYTES];
static uint32_t copies, sums, fills, wrong;

static void is_right(bool right, uint32_t *count) {
    ++*count;
    wrong += !right;
}

static void guard(void) {
    for (size_t at = 0; at < sizeof to; at++) {
        to[at] = GUARD;
    }
}

static bool is_guarded(size_t begin, size_t count) {
    for (size_t at = 0; at < sizeof to; at++) {
        if ((at < begin || at >= begin + count) && to[at] != GUARD) {
            return false;
        }
    }
    return true;
}

static void copy(size_t to_offset, size_t from_offset, size_t count) {
    size_t begin = GUARD_BYTES + to_offset;
    guard();
    bool right = memcpy(to + begin, from + from_offset, count) == to + begin && is_guarded(begin, count);
    for (size_t at = 0; at < count; at++) {
        right = right && to[begin + at] == from[from_offset + at];
    }
    is_right(right, &copies);
}

static void fill(size_t offset, size_t count) {
    size_t begin = GUARD_BYTES + offset;
    guard();
    bool right = memset(to + begin, 0x3c, count) == to + begin && is_guarded(begin, count);
    for (size_t at = 0; at < count; at++) {
        right = right && to[begin + at] == 0x3c;
    }
    is_right(right, &fills);
}

/* RFC 1071: the sum of 16 bit words, carries added in; the order of the memory is a little-endian one. */
static uint16_t plain_sum(const uint8_t *bytes, size_t count) {
    uint32_t sum = 0;
    for (size_t at = 0; at < count; at++) {
        sum += (uint32_t)bytes[at] << 8 * (at % 2);
    }
    while (sum > 0xffff) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return (uint16_t)sum;
}

int main(void) {
    clock_start();
    console_start(115200);
    uint32_t state = 1;
    for (size_t at = 0; at < sizeof from; at++) {
        state = state * 1664525u + 1013904223u;
        from[at] = at % 5 == 0 ? 0xff : (uint8_t)(state >> 24);
    }
    for (size_t count = 0; count <= LONGEST_BYTES; count++) {
        for (size_t offset = 0; offset < 16; offset++) {
            copy(offset % 4, offset / 4, count);
        }
        for (size_t offset = 0; offset < 4; offset++) {
            fill(offset, count);
            is_right(port_checksum(from + offset, (int)count) == plain_sum(from + offset, count), &sums);
        }
    }
    console_named("copies", copies);
    console_named("fills", fills);
    console_named("checksums", sums);
    console_named("wrong", wrong);
    console_text("done\n");
    for (;;) {
        clock_sleep(1000000);
    }
}

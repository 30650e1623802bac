/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The memory that an image of pages lies in. Most processors address their flash as they do their RAM; for one that
 * does not, FSDATA_ADDRESS_SPACE names that of pointers which reach both, such as -DFSDATA_ADDRESS_SPACE=__memx of
 * avr-gcc. The C library has no functions for it there, and words need no alignment. */
#ifndef AIRWIRE_FSDATA_MEMORY_H
#define AIRWIRE_FSDATA_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef FSDATA_ADDRESS_SPACE
#define FSDATA_CONSTANT FSDATA_ADDRESS_SPACE

static inline bool fsdata_is_aligned(const FSDATA_CONSTANT void *at) {
    (void)at;
    return true;
}

static inline uint32_t fsdata_word(const FSDATA_CONSTANT uint8_t *at) { return *(const FSDATA_CONSTANT uint32_t *)at; }

static inline uint16_t fsdata_half(const FSDATA_CONSTANT uint8_t *at) { return *(const FSDATA_CONSTANT uint16_t *)at; }

static inline bool fsdata_is_same_start(const FSDATA_CONSTANT char *left, const FSDATA_CONSTANT char *right,
                                        size_t count) {
    while (count && *left == *right && *left) {
        left++;
        right++;
        count--;
    }
    return !count || *left == *right;
}

static inline bool fsdata_is_same(const FSDATA_CONSTANT char *left, const FSDATA_CONSTANT char *right) {
    return fsdata_is_same_start(left, right, SIZE_MAX);
}

static inline bool fsdata_begins_with(const FSDATA_CONSTANT uint8_t *at, const char *text, size_t count) {
    return fsdata_is_same_start((const FSDATA_CONSTANT char *)at, text, count);
}

static inline bool fsdata_has_end(const FSDATA_CONSTANT uint8_t *at, uint32_t bytes) {
    while (bytes && *at) {
        at++;
        bytes--;
    }
    return bytes;
}

#else

#define FSDATA_CONSTANT

static inline bool fsdata_is_aligned(const void *at) { return ((uintptr_t)at & 3) == 0; }

static inline uint32_t fsdata_word(const uint8_t *at) {
    uint32_t word;
    __builtin_memcpy(&word, __builtin_assume_aligned(at, 4), sizeof word);
    return word;
}

static inline uint16_t fsdata_half(const uint8_t *at) {
    uint16_t half;
    __builtin_memcpy(&half, __builtin_assume_aligned(at, 2), sizeof half);
    return half;
}

static inline bool fsdata_is_same_start(const char *left, const char *right, size_t count) {
    return strncmp(left, right, count) == 0;
}

static inline bool fsdata_is_same(const char *left, const char *right) { return strcmp(left, right) == 0; }

static inline bool fsdata_begins_with(const uint8_t *at, const char *text, size_t count) {
    return memcmp(at, text, count) == 0;
}

static inline bool fsdata_has_end(const uint8_t *at, uint32_t bytes) { return memchr(at, 0, bytes) != NULL; }

#endif

#endif

/* Bytes that a seed and a place determine, as the virtual PC's bulk transfers send and check them: 64-bit words of
 * SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014), the least byte first. */
#ifndef PATTERN_H
#define PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* Writes the stream's bytes from `place` on. */
void pattern_write(uint64_t seed, uint64_t place, uint8_t *bytes, size_t count);
/* The first of `count` bytes that is not the stream's from `place` on; `count` when all are. */
size_t pattern_difference(uint64_t seed, uint64_t place, const uint8_t *bytes, size_t count);

#endif

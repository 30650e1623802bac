/* The Internet's checksum: a sum of words in one's complement (RFC 1071), and what a changed word does to it (RFC
 * 1624). */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The sum of these bytes and of those before, of which only the last piece may have an odd number. */
uint16_t checksum_add(uint16_t sum, const uint8_t *bytes, size_t count);
/* The same for one word more. */
uint16_t checksum_add_word(uint16_t sum, uint16_t word);
/* A checksum as a header has it, after one word of what it covers has become another. */
uint16_t checksum_adjusted(uint16_t checksum, uint16_t before, uint16_t after);

#endif

/* Implementation of checksum.h. Carries go back in at once: 16 bits are all that a small processor adds quickly. */
#include "checksum.h"

uint16_t checksum_add_word(uint16_t sum, uint16_t word) {
    sum = (uint16_t)(sum + word);
    return (uint16_t)(sum + (sum < word));
}

uint16_t checksum_add(uint16_t sum, const uint8_t *bytes, size_t count) {
    for (; count >= 2; count -= 2, bytes += 2) {
        sum = checksum_add_word(sum, (uint16_t)((uint16_t)bytes[0] << 8 | bytes[1]));
    }
    return count ? checksum_add_word(sum, (uint16_t)((uint16_t)*bytes << 8)) : sum;
}

/* Equation 3 of RFC 1624: HC' = ~(~HC + ~m + m'). */
uint16_t checksum_adjusted(uint16_t checksum, uint16_t before, uint16_t after) {
    uint16_t sum = checksum_add_word((uint16_t)~checksum, (uint16_t)~before);
    return (uint16_t)~checksum_add_word(sum, after);
}

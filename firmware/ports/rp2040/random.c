/* Random numbers from the ring oscillator's random bit (RP2040 datasheet 2.17.5), mixed by a multiplication so that
 * neighbouring readings of a slow bit do not show. */
#include "random.h"

#include "clock.h"
#include "registers.h"

uint32_t random_word(void) {
    static uint32_t state = 0x9e3779b9u;
    for (unsigned bit = 0; bit < 32; bit++) {
        state = state << 1 | state >> 31;
        state ^= ROSC_RANDOMBIT & 1u;
    }
    state ^= clock_us();
    state *= 0x85ebca6bu;
    return state ^ state >> 15;
}

/* Random numbers out of the time at which they are asked for: the chip has no source of noise that costs nothing. */
#include "random.h"

#include "clock.h"

uint32_t random_word(void) {
    static uint32_t state = 0x9e3779b9u;
    state ^= clock_us();
    state ^= state << 13; /* Marsaglia, "Xorshift RNGs", 2003 */
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

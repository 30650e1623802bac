/* Random numbers of a PC. */
#define _DEFAULT_SOURCE
#include "random.h"

#include <unistd.h>

uint32_t random_word(void) {
    uint32_t word;
    return getentropy(&word, sizeof word) ? 4u : word;
}

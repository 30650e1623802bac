/* Taking blocks out of reset (RP2040 datasheet 2.14.3). */
#ifndef RESETS_H
#define RESETS_H

#include "registers.h"

/* RESET_DONE follows within a few cycles. */
static inline void resets_release(uint32_t blocks) {
    RESETS_RESET_CLEAR = blocks;
    while ((RESETS_RESET_DONE & blocks) != blocks) {
    }
}

#endif

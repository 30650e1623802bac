/* Which block drives a pin, and its pad (RP2040 datasheet 2.19.6). */
#ifndef PADS_H
#define PADS_H

#include "registers.h"

static inline void pad_function(unsigned pin, uint32_t function, uint32_t pull) {
    PADS_GPIO(pin) = PAD_IE | PAD_DRIVE_4MA | PAD_SCHMITT | pull;
    GPIO_CTRL(pin) = function;
}

#endif

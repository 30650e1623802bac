/* Functions of the Pico SDK for tests, with a simulated chip at the other end of spi0: CSn on pin 17, RSTn on pin 20.
 * Each look at the clock takes a microsecond. */
#ifndef SIMULATED_SDK_H
#define SIMULATED_SDK_H

#include "simulated_chip.h"

extern struct simulated_chip simulated_sdk_chip;
/* How often RSTn went low, and whether CSn is low. */
extern unsigned simulated_sdk_resets;
extern bool simulated_sdk_is_selected;

#endif

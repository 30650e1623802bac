/* The board's LED: at a pin, or at the radio. */
#ifndef HAL_LAMP_H
#define HAL_LAMP_H

#include <stdbool.h>

#include "board.h"
#include "gpio.h"

#ifdef BOARD_CYW43439
/* It follows within a tenth of a second. */
void lamp_put(bool is_lit);
static inline void lamp_start(void) { lamp_put(false); }
#elif defined(BOARD_LED)
static inline void lamp_put(bool is_lit) { gpio_put(BOARD_LED, is_lit); }
static inline void lamp_start(void) { gpio_output(BOARD_LED, false); }
#else
static inline void lamp_put(bool is_lit) { (void)is_lit; }
static inline void lamp_start(void) {}
#endif

#endif

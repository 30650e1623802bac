/* Interrupts as a whole, for sections that no handler may enter. */
#ifndef HAL_INTERRUPT_H
#define HAL_INTERRUPT_H

#include <stdint.h>

/* Holds interrupts back and returns what to release them with; may be nested. */
uint32_t interrupts_hold(void);
void interrupts_release(uint32_t held);

#endif

/* Time that a port provides. Both counts wrap; compare them by subtraction. */
#ifndef HAL_CLOCK_H
#define HAL_CLOCK_H

#include <stdint.h>

/* Starts the clocks; before anything else of the HAL. */
void clock_start(void);
/* The processor's clock. */
uint32_t clock_system_hz(void);
/* Microseconds; wraps after 71 minutes. */
uint32_t clock_us(void);
/* Milliseconds; wraps after 49.7 days. Not to be called by interrupt handlers. */
uint32_t clock_ms(void);
/* Sleeps until an interrupt or for that time at most. An interrupt that came since interrupts were held ends it at
 * once, so that a caller holds them, looks whether there is work, and sleeps without a gap. */
void clock_sleep(uint32_t limit_us);

/* Whether `limit_us` have gone by since `from_us`. */
static inline int clock_is_over(uint32_t from_us, uint32_t limit_us) { return clock_us() - from_us >= limit_us; }

#endif

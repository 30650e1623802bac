/* How a network chip is noticed: by its interrupt pin, or by looking each so often. */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* By its interrupt pin, or where that is not connected by looking each `poll_us` (0: always), on a raster or so long
 * after the look before. A port without room for the pin's handler has the chip looked at too: watch_has_pin() tells.
 */
void watch_start(bool use_interrupt_pin, uint32_t poll_us, bool on_raster);
/* Has the next look happen at once, where there is no raster. */
void watch_look_soon(void);
bool watch_has_pin(void);
/* Whether it is time to look at the chip. True once for each poll, and for as long as the pin is low. */
bool watch_is_calling(void);
/* How long until a poll is due, at most `limit_us`; with the pin, `limit_us`. */
uint32_t watch_quiet_us(uint32_t limit_us);
/* Called from interrupt context when the pin goes low, to wake whoever waits; may be null. */
void watch_set_waker(void (*waker)(void));

#endif

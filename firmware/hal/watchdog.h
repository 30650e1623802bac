/* A watchdog that starts the board anew when nobody feeds it. */
#ifndef HAL_WATCHDOG_H
#define HAL_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/* `limit_ms` is 8000 at most. */
void watchdog_start(uint32_t limit_ms);
/* Does nothing where it was not started. */
void watchdog_feed(void);
/* Whether it was the watchdog that started the board this time. */
bool watchdog_has_fired(void);

#endif

/* A PC has no watchdog. */
#include "watchdog.h"

void watchdog_start(uint32_t limit_ms) { (void)limit_ms; }

void watchdog_feed(void) {}

bool watchdog_has_fired(void) { return false; }

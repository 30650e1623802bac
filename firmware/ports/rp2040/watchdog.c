/* The watchdog. It counts twice for each tick of 1 us (RP2040-E1), so that 8.3 s are the most. */
#include "watchdog.h"

#include "registers.h"

#define MOST_MS 8000u

static uint32_t load;

void watchdog_start(uint32_t limit_ms) {
    load = (limit_ms < MOST_MS ? limit_ms : MOST_MS) * 2000u;
    WATCHDOG_CTRL = 0;
    PSM_WDSEL = PSM_ALL & ~PSM_ROSC_AND_XOSC;
    WATCHDOG_LOAD = load;
    WATCHDOG_CTRL = WATCHDOG_CTRL_ENABLE;
}

void watchdog_feed(void) {
    if (load) {
        WATCHDOG_LOAD = load;
    }
}

bool watchdog_has_fired(void) { return WATCHDOG_REASON & 1u; }

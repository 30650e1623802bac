/* The watchdog: from 16 ms to 8 s in powers of two, of which the next longer one is taken. */
#include "watchdog.h"

#include <avr/io.h>
#include <avr/wdt.h>

#define LEAST_MS 16u

static bool is_started;
static uint8_t reset_cause __attribute__((section(".noinit")));

/* After a reset by the watchdog it runs on with its shortest limit (datasheet, "Watchdog System Reset"): it is stopped
 * before variables are set. */
__attribute__((naked, used, section(".init3"))) void stop_watchdog(void) {
    reset_cause = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

void watchdog_start(uint32_t limit_ms) {
    uint8_t power = 0;
    while (power < WDTO_8S && (uint32_t)LEAST_MS << power < limit_ms) {
        power++;
    }
    is_started = true;
    wdt_enable(power);
}

void watchdog_feed(void) {
    if (is_started) {
        wdt_reset();
    }
}

bool watchdog_has_fired(void) { return reset_cause & _BV(WDRF); }

/* Time of a PC: its monotonic clock. Interrupts there are none; holding them back does nothing. */
#define _POSIX_C_SOURCE 200809L
#include "clock.h"

#include <time.h>

#include "interrupt.h"
#include "settings.h"

SETTING(clock_start_ms, 0, "ms", "what the millisecond clock begins with");

static struct timespec started;

static uint64_t microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)(now.tv_sec - started.tv_sec) * 1000000u + (uint64_t)((now.tv_nsec - started.tv_nsec) / 1000);
}

void clock_start(void) { clock_gettime(CLOCK_MONOTONIC, &started); }

uint32_t clock_system_hz(void) { return 1000000000u; }

uint32_t clock_us(void) { return (uint32_t)microseconds(); }

uint32_t clock_ms(void) { return setting_clock_start_ms + (uint32_t)(microseconds() / 1000u); }

void clock_sleep(uint32_t limit_us) {
    struct timespec limit = {limit_us / 1000000u, (long)(limit_us % 1000000u) * 1000};
    nanosleep(&limit, NULL);
}

uint32_t interrupts_hold(void) { return 0; }

void interrupts_release(uint32_t held) { (void)held; }

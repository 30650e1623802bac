/* Clocks from the crystal and PLL_SYS, microseconds from TIMER, and sleep until an interrupt or an alarm. */
#include "clock.h"

#include "board.h"
#include "clock_sources.h"
#include "interrupt.h"
#include "registers.h"
#include "resets.h"
#include "settings.h"

#ifdef BOARD_LAN8720
#include "overclock.h"
#else
#ifndef SYSTEM_HZ
#define SYSTEM_HZ 133000000u
#endif

/* From 63 MHz, as the crystal's 12 MHz times so many is the VCO's 750 to 1600 MHz (RP2040 datasheet 2.18.1). */
SETTING(system_hz, SYSTEM_HZ, "hz 63000000..133000000 by 1000000", "the processor's clock");

static uint32_t system_mhz(void) {
    uint32_t mhz = setting_system_hz / 1000000u;
    return mhz < 63 ? 63 : mhz > 133 ? 133 : mhz;
}

static void run_at(uint32_t mhz) { clk_sys_from_pll(mhz, 6, 2); }
#endif

SETTING(clock_start_ms, 0, "ms", "what the millisecond clock begins with");

_Static_assert(BOARD_CRYSTAL_HZ == 12000000, "clock_start() computes with a crystal of 12 MHz");

static uint32_t system_hz;
static uint32_t last_us, milliseconds;

void clock_start(void) {
    uint32_t mhz = system_mhz();
    system_hz = mhz * 1000000u;
    crystal_start();
    WATCHDOG_TICK = 1u << 9 | BOARD_CRYSTAL_HZ / 1000000u;
    resets_release(RESET_PLL_SYS | RESET_IO_BANK0 | RESET_PADS_BANK0 | RESET_TIMER);
    run_at(mhz);
    milliseconds = setting_clock_start_ms;
    last_us = clock_us();
    TIMER_INTE = 1;
    NVIC_ISER = 1u << TIMER_IRQ_0;
}

uint32_t clock_system_hz(void) { return system_hz; }

uint32_t clock_us(void) { return TIMER_TIMERAWL; }

uint32_t clock_ms(void) {
    uint32_t held = interrupts_hold();
    uint32_t gone_us = clock_us() - last_us;
    if (gone_us >= 1000) {
        uint32_t gone_ms = gone_us / 1000;
        milliseconds += gone_ms;
        last_us += gone_ms * 1000;
    }
    uint32_t now = milliseconds;
    interrupts_release(held);
    return now;
}

void timer_irq_0_handler(void) { TIMER_INTR = 1; }

void clock_sleep(uint32_t limit_us) {
    uint32_t held = interrupts_hold();
    uint32_t from = clock_us();
    TIMER_ALARM0 = from + limit_us;
    if (!clock_is_over(from, limit_us)) {
        __asm__ volatile("wfi" ::: "memory");
    }
    interrupts_release(held);
}

uint32_t interrupts_hold(void) {
    uint32_t held;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(held)::"memory");
    return held;
}

void interrupts_release(uint32_t held) { __asm__ volatile("msr primask, %0" ::"r"(held) : "memory"); }

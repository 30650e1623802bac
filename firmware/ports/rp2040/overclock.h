/* The part of clock.c for a board that RMII needs a multiple of 50 MHz on: above 133 MHz the RP2040 runs faster than
 * its datasheet promises, at a higher voltage, and with a divider of its own for the flash. */
#ifndef OVERCLOCK_H
#define OVERCLOCK_H

#include "clock_sources.h"
#include "registers.h"
#include "settings.h"

#ifndef SYSTEM_HZ
#define SYSTEM_HZ 150000000u
#endif
#define STEP_MHZ 50u
#define LEAST_MHZ 100u
#define MOST_MHZ 300u

SETTING(system_hz, SYSTEM_HZ, "hz 100000000..300000000 by 50000000", "the processor's clock, a multiple of RMII's");
SETTING(flash_divider, 4, "2..8", "the clock of the flash is that of the processor divided by this even number");

static uint32_t system_mhz(void) {
    uint32_t mhz = setting_system_hz / 1000000u;
    mhz = mhz < LEAST_MHZ ? LEAST_MHZ : mhz > MOST_MHZ ? MOST_MHZ : mhz;
    return mhz / STEP_MHZ * STEP_MHZ;
}

/* Out of SRAM: nothing may be read from the flash meanwhile. */
__attribute__((section(".ram_text"), noinline)) static void divide_flash_clock(uint32_t divider) {
    SSI_SSIENR = 0;
    SSI_BAUDR = divider;
    SSI_SSIENR = 1;
}

/* The crystal's 12 MHz times the feedback are 1200 or 1500 MHz, whole multiples of all these clocks. */
static void run_at(uint32_t mhz) {
    static const struct {
        uint8_t steps, feedback, post_divider1, post_divider2;
    } ways[] = {{100 / 50, 100, 6, 2},
                {150 / 50, 125, 5, 2},
                {200 / 50, 100, 6, 1},
                {250 / 50, 125, 6, 1},
                {300 / 50, 125, 5, 1}};
    uint32_t way = mhz / STEP_MHZ - ways[0].steps;
    VREG = VREG_EN | VREG_1V20;
    while (!(VREG & VREG_ROK)) {
    }
    divide_flash_clock(setting_flash_divider < 2 ? 2 : setting_flash_divider & ~1u);
    clk_sys_from_pll(ways[way].feedback, ways[way].post_divider1, ways[way].post_divider2);
}

#endif

/* The crystal and the PLLs. Their loops end with the hardware: without a crystal or a PLL that locks there is no clock
 * to bound them by, and nothing that could run. */
#ifndef CLOCK_SOURCES_H
#define CLOCK_SOURCES_H

#include "registers.h"

/* The crystal of 12 MHz for clk_ref, and clk_ref for clk_sys until there is a PLL. */
static inline void crystal_start(void) {
    XOSC_STARTUP = 47; /* 1 ms of 12 MHz in units of 256 cycles (2.16.3) */
    XOSC_CTRL = 0xfabu << 12 | 0xaa0u;
    while (!(XOSC_STATUS & XOSC_STATUS_STABLE)) {
    }
    CLK_REF_CTRL = 2;
    while (CLK_REF_SELECTED != 1u << 2) {
    }
    CLK_SYS_CTRL = 0;
    while (CLK_SYS_SELECTED != 1u << 0) {
    }
}

/* The feedback divider with the VCO off, power, lock, then the post dividers (2.18.2). It was taken out of reset. */
static inline void pll_start(uint32_t base, uint32_t feedback, uint32_t post_divider1, uint32_t post_divider2) {
    PLL_CS(base) = 1;
    PLL_FBDIV_INT(base) = feedback;
    PLL_PWR_CLEAR(base) = PLL_PWR_VCOPD | PLL_PWR_PD;
    while (!(PLL_CS(base) & PLL_CS_LOCK)) {
    }
    PLL_PRIM(base) = post_divider1 << 16 | post_divider2 << 12;
    PLL_PWR_CLEAR(base) = PLL_PWR_POSTDIVPD;
}

/* PLL_SYS, out of reset, for clk_sys and clk_peri. */
static inline void clk_sys_from_pll(uint32_t feedback, uint32_t post_divider1, uint32_t post_divider2) {
    pll_start(PLL_SYS_BASE, feedback, post_divider1, post_divider2);
    CLK_SYS_CTRL = 1;
    while (CLK_SYS_SELECTED != 1u << 1) {
    }
    CLK_PERI_CTRL = 1u << 11;
}

/* PLL_USB, out of reset, at 48 MHz for clk_adc. */
static inline void clk_adc_from_pll(void) {
    pll_start(PLL_USB_BASE, 120, 6, 5);
    CLK_ADC_CTRL = 1u << 11;
}

/* The same for clk_usb. */
static inline void clk_usb_from_pll(void) {
    pll_start(PLL_USB_BASE, 120, 6, 5);
    CLK_USB_CTRL = 1u << 11;
}

#endif

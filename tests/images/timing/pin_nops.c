/* An endless loop that sets and clears GP2 with NOPS no-operations between, from flash, clk_sys at 24 MHz: 4 + NOPS
 * cycles a turn. */
#include "clock_sources.h"
#include "support.h"

#define PIN 2u
#define QUOTED(text) #text
#define TEXT(macro) QUOTED(macro)

int main(void) {
    clocks_start();
    CLK_SYS_CTRL = 0;
    while (CLK_SYS_SELECTED != 1u << 0) {
    }
    pll_start(PLL_SYS_BASE, 84, 7, 6); /* 12 MHz * 84 / 42 */
    CLK_SYS_CTRL = 1;
    pin_output(PIN);
    for (;;) {
        SIO_GPIO_OUT_SET = 1u << PIN;
        SIO_GPIO_OUT_CLR = 1u << PIN;
        __asm__ volatile(".rept " TEXT(NOPS) "\n\tnop\n\t.endr");
    }
}

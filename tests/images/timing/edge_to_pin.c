/* GPOUT0 puts 1 kHz on GP21; a wire takes it to GP19, whose edges interrupt; the handler, in SRAM, toggles GP20
 * with its first statement. What counts is the time from GP19 to GP20. */
#include "support.h"

#define CLK_GPOUT0_CTRL REGISTER(CLOCKS_BASE + 0x00)
#define CLK_GPOUT0_DIV REGISTER(CLOCKS_BASE + 0x04)
#define FUNCTION_CLOCK 8u
#define WATCHED 19u
#define ANSWER 20u
#define SOURCE 21u

void io_irq_bank0_handler(void) {
    SIO_GPIO_OUT_XOR = 1u << ANSWER;
    IO_BANK0_INTR(WATCHED) = 0xfu << 4 * (WATCHED % 8);
}

int main(void) {
    console_start();
    pin_output(ANSWER);
    pin_function(WATCHED, FUNCTION_NULL);
    IO_BANK0_PROC0_INTE(WATCHED) = EDGE_HIGH(WATCHED) | EDGE_LOW(WATCHED);
    interrupt_enable(IO_IRQ_BANK0);
    CLK_GPOUT0_DIV = 125000u << 8;
    CLK_GPOUT0_CTRL = 1u << 11; /* from PLL_SYS */
    pin_function(SOURCE, FUNCTION_CLOCK);
    for (;;) {
        wait_for_interrupt();
    }
}

/* Waits for a button at GP15, which nobody presses: a loop that looks at the pin, or with INTERRUPT a sleep. */
#include "support.h"

#define BUTTON 15u

int main(void) {
    clocks_start();
    pin_function(BUTTON, FUNCTION_SIO);
    PADS_GPIO(BUTTON) = PAD_PUE | PAD_IE;
#ifdef INTERRUPT
    IO_BANK0_PROC0_INTE(BUTTON) = EDGE_LOW(BUTTON);
    interrupt_enable(IO_IRQ_BANK0);
    wait_for_interrupt();
#else
    while ((SIO_GPIO_IN >> BUTTON & 1u) != 0) {
    }
#endif
    for (;;) {
        wait_for_interrupt();
    }
}

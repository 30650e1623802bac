/* Alarm 0 of TIMER toggles GP25 every millisecond; the core sleeps in between. After TOGGLES it is done; with
 * TOGGLES 0 it goes on for ever and prints a line every second. */
#include "support.h"

#ifndef TOGGLES
#define TOGGLES 500
#endif
#define PERIOD_US 1000
#define LED 25

static volatile uint32_t toggles;

void timer_irq_0_handler(void) {
    TIMER_INTR = 1;
    TIMER_ALARM0 += PERIOD_US;
    SIO_GPIO_OUT_XOR = 1u << LED;
    toggles++;
}

int main(void) {
    console_start();
    pin_output(LED);
    put_text("GP25 toggles every millisecond.\n");
    TIMER_INTE = 1;
    interrupt_enable(TIMER_IRQ_0);
    TIMER_ALARM0 = time_us() + PERIOD_US;
    const uint32_t limit = TOGGLES;
    for (uint32_t printed = 0; limit == 0 || toggles < limit;) {
        wait_for_interrupt();
        if (toggles - printed >= 1000) {
            printed += 1000;
            put_named("toggles", printed);
        }
    }
    TIMER_INTE = 0;
    put_named("toggles", toggles);
    finish();
}

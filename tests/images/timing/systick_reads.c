/* SysTick's counter as a clock: how far two reads in a row are apart, and how far it has run when the first
 * statement of its own handler reads it. All in SRAM. */
#include "support.h"

#define RELOAD 12499999u
#define LED 25u

/* Visible everywhere, and so behind the global offset table of position-independent code. */
volatile uint32_t at_entry;

void systick_handler(void) {
    at_entry = SYST_CVR;
    SIO_GPIO_OUT_XOR = 1u << LED;
}

static uint32_t two_reads(void) {
    uint32_t first, second;
    __asm__ volatile("ldr %0, [%2]\n\tldr %1, [%2]" : "=&l"(first), "=l"(second) : "l"(&SYST_CVR));
    return first - second;
}

int main(void) {
    console_start();
    pin_output(LED);
    stopwatch_start();
    put_named("two reads cycles", two_reads());
    SYST_RVR = RELOAD;
    SYST_CVR = 0;
    SYST_CSR = 7;
    while (!at_entry) {
        wait_for_interrupt();
    }
    put_named("handler cycles", RELOAD - at_entry);
    finish();
}

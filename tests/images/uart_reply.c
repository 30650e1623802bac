/* A module with a serial line: each byte 'U' at GP1 raises GP3 for a while, a little longer after each; others do nothing. */
#include "support.h"

#define DONE 3u
#define HIGH_US 20u

int main(void) {
    uint32_t wait_us = 0;
    console_start();
    pin_output(DONE);
    for (;;) {
        while (UART_FR(UART0_BASE) & UART_FR_RXFE) {
        }
        if ((UART_DR(UART0_BASE) & 0xfffu) != 'U') {
            continue;
        }
        for (uint32_t from = time_us(); time_us() - from < wait_us;) {
        }
        wait_us = (wait_us + 7u) % 50u;
        SIO_GPIO_OUT_SET = 1u << DONE;
        for (uint32_t from = time_us(); time_us() - from < HIGH_US;) {
        }
        SIO_GPIO_OUT_CLR = 1u << DONE;
    }
}

/* Brings the clocks up to 125 MHz, prints a line on UART0 at 115200 baud and echoes what it receives. */
#include "support.h"

int main(void) {
    console_start();
    put_text("Hello from GP0 at 115200 baud.\n");
    for (;;) {
        while (UART_FR(UART0_BASE) & UART_FR_RXFE) {
        }
        put_char((char)UART_DR(UART0_BASE));
    }
}

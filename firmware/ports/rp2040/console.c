/* The console: UART0 on GP0 and GP1, by the processor. */
#include "console.h"

#include "resets.h"
#include "uart_line.h"

void console_start(uint32_t baud) {
    resets_release(RESET_UART0);
    uart_line_start(UART0_BASE, baud, 0);
}

/* Ends, as the UART always sends. */
void console_put(char character) {
    while (UART_FR(UART0_BASE) & UART_FR_TXFF) {
    }
    UART_DR(UART0_BASE) = (uint8_t)character;
}

int console_get(void) { return UART_FR(UART0_BASE) & UART_FR_RXFE ? -1 : (int)(UART_DR(UART0_BASE) & 0xffu); }

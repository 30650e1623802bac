/* The console: UART0 on GP0 and GP1, 8N1, by the processor. */
#include "console.h"

#include <stdbool.h>

#include "clock.h"
#include "pads.h"
#include "resets.h"

/* Divisor in 1/64 (RP2040 datasheet 4.2.3.2.1); FIFOs on, 8 bits; transmit and receive on. */
void console_start(uint32_t baud) {
    resets_release(RESET_UART0);
    uint32_t divisor = (4u * clock_system_hz() + baud / 2u) / baud;
    UART0_IBRD = divisor / 64u;
    UART0_FBRD = divisor % 64u;
    UART0_LCR_H = 3u << 5 | 1u << 4;
    UART0_CR = 1u << 9 | 1u << 8 | 1u << 0;
    pad_function(0, FUNCTION_UART, 0);
    pad_function(1, FUNCTION_UART, PAD_PUE);
}

/* Ends, as the UART always sends. */
void console_put(char character) {
    while (UART0_FR & UART_FR_TXFF) {
    }
    UART0_DR = (uint8_t)character;
}

int console_get(void) { return UART0_FR & UART_FR_RXFE ? -1 : (int)(UART0_DR & 0xffu); }

void console_flush(void) {
    while (UART0_FR & UART_FR_BUSY) {
    }
}

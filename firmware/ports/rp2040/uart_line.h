/* The line of either UART: 8N1 at a rate. */
#ifndef UART_LINE_H
#define UART_LINE_H

#include "clock.h"
#include "pads.h"

/* Divisor in 1/64 (RP2040 datasheet 4.2.3.2.1); FIFOs on, 8 bits; transmit and receive on. The UART was taken out of
 * reset; it sends on the first pin and receives on the next. */
static inline void uart_line_start(uint32_t base, uint32_t baud, unsigned first_pin) {
    uint32_t divisor = (4u * clock_system_hz() + baud / 2u) / baud;
    UART_IBRD(base) = divisor / 64u;
    UART_FBRD(base) = divisor % 64u;
    UART_LCR_H(base) = 3u << 5 | 1u << 4;
    UART_CR(base) = 1u << 9 | 1u << 8 | 1u << 0;
    pad_function(first_pin, FUNCTION_UART, 0);
    pad_function(first_pin + 1, FUNCTION_UART, PAD_PUE);
}

#endif

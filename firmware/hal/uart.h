/* The second UART, for links over serial lines. */
#ifndef HAL_UART_H
#define HAL_UART_H

#include <stddef.h>
#include <stdint.h>

void uart_start(uint32_t baud);
/* How many of the bytes found room; the rest is for later. */
size_t uart_write(const uint8_t *bytes, size_t count);
/* How many bytes had come in, at most `capacity`. Those that found no room are lost. */
size_t uart_read(uint8_t *bytes, size_t capacity);

#endif

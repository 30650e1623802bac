/* A console for people. */
#ifndef HAL_CONSOLE_H
#define HAL_CONSOLE_H

#include <stdint.h>

/* Many places write text, and none of them in a hurry: one copy does for all. */
#define CONSOLE_ONE_COPY __attribute__((noinline))

void console_start(uint32_t baud);
/* Waits until the characters fit the UART's FIFO. */
void console_put(char character);
CONSOLE_ONE_COPY void console_text(const char *text);
CONSOLE_ONE_COPY void console_number(uint32_t value);
/* "name value", and a new line. */
CONSOLE_ONE_COPY void console_named(const char *name, uint32_t value);
/* An IPv4 address whose first octet lies lowest in memory. */
void console_address(uint32_t address);
/* The next character that was received, or -1. */
int console_get(void);

#endif

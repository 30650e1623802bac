/* Numbers as decimal text, and back. */
#ifndef DECIMAL_H
#define DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECIMAL_DIGITS 10u

/* Writes the digits without a terminating zero; returns where the next character goes. */
char *decimal_write(char *to, uint32_t value);
/* Whether `text` of `count` characters is a number of one digit or more that fits 32 bits, and nothing else. */
bool decimal_read(const char *text, size_t count, uint32_t *value);

#endif

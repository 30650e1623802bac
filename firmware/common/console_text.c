/* Text and numbers on a port's console_put(). */
#include "console.h"

#include "decimal.h"

void console_text(const char *text) {
    while (*text) {
        console_put(*text++);
    }
}

void console_number(uint32_t value) {
    char digits[DECIMAL_DIGITS + 1];
    *decimal_write(digits, value) = 0;
    console_text(digits);
}

void console_named(const char *name, uint32_t value) {
    console_text(name);
    console_put(' ');
    console_number(value);
    console_put('\n');
}

void console_address(uint32_t address) {
    for (unsigned octet = 0; octet < 4; octet++) {
        console_number(address >> 8 * octet & 0xffu);
        if (octet < 3) {
            console_put('.');
        }
    }
}

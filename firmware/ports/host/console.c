/* The console of a PC: standard output, and nobody types. */
#include "console.h"

#include <stdio.h>

void console_start(uint32_t baud) {
    (void)baud;
    setvbuf(stdout, NULL, _IOLBF, 0);
}

void console_put(char character) { putchar(character); }

int console_get(void) { return -1; }

/* The console of a PC: standard output, and standard input where that is not empty. */
#define _POSIX_C_SOURCE 200809L
#include "console.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

void console_start(uint32_t baud) {
    (void)baud;
    setvbuf(stdout, NULL, _IOLBF, 0);
}

void console_put(char character) { putchar(character); }

int console_get(void) {
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    unsigned char character;
    return poll(&input, 1, 0) > 0 && read(STDIN_FILENO, &character, 1) == 1 ? character : -1;
}

void console_flush(void) { fflush(stdout); }

/* The second UART of a PC: the terminal or pseudo-terminal that AIRWIRE_UART names, at its own rate. */
#define _DEFAULT_SOURCE
#include "uart.h"

#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static int line = -1;

void uart_start(uint32_t baud) {
    const char *path = getenv("AIRWIRE_UART");
    struct termios settings;
    (void)baud;
    line = path ? open(path, O_RDWR | O_NOCTTY | O_NONBLOCK) : -1;
    if (line >= 0 && !tcgetattr(line, &settings)) {
        cfmakeraw(&settings);
        tcsetattr(line, TCSANOW, &settings);
    }
}

size_t uart_write(const uint8_t *bytes, size_t count) {
    ssize_t taken = line < 0 ? 0 : write(line, bytes, count);
    return taken > 0 ? (size_t)taken : 0;
}

size_t uart_read(uint8_t *bytes, size_t capacity) {
    ssize_t count = line < 0 ? 0 : read(line, bytes, capacity);
    return count > 0 ? (size_t)count : 0;
}

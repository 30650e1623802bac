/* What an image says on its console when it starts and when it cannot go on. */
#ifndef REPORT_H
#define REPORT_H

#include <stdint.h>

/* The application's name, the way to the network, the chip, and the clock of its SPI, 0 where it is on none; and
 * whether it was the watchdog that started the board. */
void report_start(const char *application, const char *transport, const char *chip, uint32_t spi_hz);
/* Address and how long it took until the network was ready. */
void report_ready(void);
/* A line on the console; the image goes on trying where that can help. */
void report_problem(const char *sentence);

#endif

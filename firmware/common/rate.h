/* Amounts by time on the console: "sink 1000000 bytes in 350000 us, 22857 kbit/s". */
#ifndef RATE_H
#define RATE_H

#include <stdint.h>

#include "console.h"

CONSOLE_ONE_COPY void rate_report(const char *name, uint64_t bytes, uint64_t time_us);
/* Bits a millisecond, which is kbit/s; 0 for no time. */
uint32_t rate_kilobits(uint64_t bytes, uint64_t time_us);
/* A number of any size; console_number() takes 32 bits. */
CONSOLE_ONE_COPY void rate_number(uint64_t value);

#endif

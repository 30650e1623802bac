/* "sink 1000000 bytes in 350000 us, 22857 kbit/s" on the console. */
#ifndef RATE_H
#define RATE_H

#include <stdint.h>

void rate_report(const char *name, uint64_t bytes, uint32_t time_us);
/* Bits a millisecond, which is kbit/s; 0 for no time. */
uint32_t rate_kilobits(uint64_t bytes, uint32_t time_us);

#endif

/* Implementation of rate.h, in 64 bits: more than 4 GB and more than an hour do not occur. */
#include "rate.h"

#include "console.h"

uint32_t rate_kilobits(uint64_t bytes, uint32_t time_us) {
    return time_us ? (uint32_t)(bytes * 8000u / time_us) : 0;
}

void rate_report(const char *name, uint64_t bytes, uint32_t time_us) {
    console_text(name);
    console_put(' ');
    console_number((uint32_t)bytes);
    console_text(" bytes in ");
    console_number(time_us);
    console_text(" us, ");
    console_number(rate_kilobits(bytes, time_us));
    console_text(" kbit/s\n");
}

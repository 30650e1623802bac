/* Implementation of rate.h. */
#include "rate.h"

#include "console.h"

#define BILLION 1000000000u

uint32_t rate_kilobits(uint64_t bytes, uint64_t time_us) {
    uint64_t kilobits = time_us ? bytes * 8000u / time_us : 0;
    return kilobits < UINT32_MAX ? (uint32_t)kilobits : UINT32_MAX;
}

void rate_number(uint64_t value) {
    if (value < BILLION) {
        console_number((uint32_t)value);
        return;
    }
    rate_number(value / BILLION);
    uint32_t rest = (uint32_t)(value % BILLION);
    for (uint32_t power = BILLION / 10; power > 1 && rest < power; power /= 10) {
        console_put('0');
    }
    console_number(rest);
}

void rate_report(const char *name, uint64_t bytes, uint64_t time_us) {
    console_text(name);
    console_put(' ');
    rate_number(bytes);
    console_text(" bytes in ");
    rate_number(time_us);
    console_text(" us, ");
    console_number(rate_kilobits(bytes, time_us));
    console_text(" kbit/s\n");
}

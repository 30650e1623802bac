/* What the examples use of the Pico SDK, declared with its signatures; simulated_sdk.c defines it for a test. */
#ifndef PICO_STDLIB_H
#define PICO_STDLIB_H

#include <stdbool.h>
#include <stdint.h>

#include "hardware/gpio.h"

uint32_t simulated_sdk_microseconds(void);

bool stdio_init_all(void);
void sleep_us(uint64_t us);
void sleep_ms(uint32_t ms);
static inline uint32_t time_us_32(void) { return simulated_sdk_microseconds(); }
static inline void tight_loop_contents(void) {}

typedef uint64_t absolute_time_t;
static inline absolute_time_t get_absolute_time(void) { return simulated_sdk_microseconds(); }
static inline uint32_t to_ms_since_boot(absolute_time_t t) { return (uint32_t)(t / 1000u); }

#endif

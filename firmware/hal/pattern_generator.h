/* A short pattern of levels on a pin, over and over, from exact cycle to exact cycle. A pulse is a pattern of two bits,
 * a byte on a serial line is one of ten. */
#ifndef HAL_PATTERN_GENERATOR_H
#define HAL_PATTERN_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

struct pattern {
    uint8_t pin;
    bool idle;           /* the level before the first pattern */
    uint8_t bits;        /* 1 to 32 */
    uint32_t levels;     /* the first bit lowest; the last one stays */
    uint32_t bit_cycles; /* PATTERN_LEAST_BIT_CYCLES at least */
};

#define PATTERN_LEAST_BIT_CYCLES 4u
/* Between the end of a pattern and the beginning of the next there are so many cycles at least. */
#define PATTERN_LEAST_GAP_CYCLES 4u

/* The pin has its idle level when this returns. */
void pattern_start(const struct pattern *pattern);
bool pattern_has_room(void);
/* One more pattern, so many cycles after the beginning of the one before, or from now for the first. True where the
 * generator had nothing to do, so that this pattern is later than that. */
bool pattern_put(uint32_t interval_cycles);
/* Lets go of the pin. */
void pattern_stop(void);

#endif

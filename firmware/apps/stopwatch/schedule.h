/* When triggers are due: a fixed period, one with jitter out of a seed, or periods that sweep over a range. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct schedule {
    uint32_t period_ns, jitter_ns, seed;
    uint32_t sweep_from_ns, sweep_to_ns, sweep_step_ns; /* no sweep where the step is 0 */
    uint32_t count;                                     /* 0 for as many as there is time for */
};

struct schedule_course {
    uint32_t period, jitter, sweep_from, sweep_to, sweep_step; /* cycles */
    uint32_t random, left;
    bool is_endless;
};

uint32_t schedule_cycles(uint32_t ns, uint32_t clock_hz);
/* The shortest interval of a schedule, in nanoseconds. */
uint32_t schedule_least_ns(const struct schedule *schedule);
void schedule_begin(struct schedule_course *course, const struct schedule *schedule, uint32_t clock_hz);
bool schedule_is_over(const struct schedule_course *course);
/* Cycles from the last trigger to the next. */
uint32_t schedule_next(struct schedule_course *course);

#endif

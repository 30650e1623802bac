/* Intervals in cycles. Jitter is drawn from all its cycles alike, by xorshift32 (Marsaglia, 2003). */
#include "schedule.h"

#define NS_PER_S 1000000000u

uint32_t schedule_cycles(uint32_t ns, uint32_t clock_hz) { return (uint32_t)((uint64_t)ns * clock_hz / NS_PER_S); }

uint32_t schedule_least_ns(const struct schedule *schedule) {
    return schedule->sweep_step_ns ? schedule->sweep_from_ns : schedule->period_ns;
}

void schedule_begin(struct schedule_course *course, const struct schedule *schedule, uint32_t clock_hz) {
    bool sweeps = schedule->sweep_step_ns != 0;
    course->sweep_from = schedule_cycles(schedule->sweep_from_ns, clock_hz);
    course->sweep_to = schedule_cycles(schedule->sweep_to_ns, clock_hz);
    course->sweep_step = schedule_cycles(schedule->sweep_step_ns, clock_hz);
    course->sweep_step = sweeps && !course->sweep_step ? 1 : course->sweep_step;
    course->period = sweeps ? course->sweep_from : schedule_cycles(schedule->period_ns, clock_hz);
    course->jitter = schedule_cycles(schedule->jitter_ns, clock_hz);
    course->random = schedule->seed ? schedule->seed : 1;
    course->left = schedule->count;
    course->is_endless = schedule->count == 0;
}

bool schedule_is_over(const struct schedule_course *course) { return !course->is_endless && course->left == 0; }

static uint32_t random_below(struct schedule_course *course, uint32_t limit) {
    course->random ^= course->random << 13;
    course->random ^= course->random >> 17;
    course->random ^= course->random << 5;
    return (uint32_t)((uint64_t)course->random * limit >> 32);
}

uint32_t schedule_next(struct schedule_course *course) {
    uint32_t cycles = course->period + (course->jitter ? random_below(course, course->jitter + 1u) : 0);
    if (course->sweep_step) {
        bool goes_on = course->sweep_to - course->period >= course->sweep_step;
        course->period = goes_on ? course->period + course->sweep_step : course->sweep_from;
    }
    course->left -= course->left ? 1u : 0u;
    return cycles;
}

/* What the bench changes in its images to show one cause alone: rules that other stacks have, and the time that other
 * processors take. They are compiled in with AIRWIRE_BENCH_KNOBS, as images.cmake does, and are settings then
 * (bench_knobs.c). Whoever takes this code without it has none of them, and pays nothing. */
#ifndef BENCH_KNOBS_H
#define BENCH_KNOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef AIRWIRE_BENCH_KNOBS
#include "clock.h"
#include "settings.h"

USES_SETTING(output_rule);
USES_SETTING(timers_with_poll);
USES_SETTING(output_each);
USES_SETTING(frame_work_us);
USES_SETTING(byte_work_ns);

/* Whether what was written leaves now, with so much room in a send buffer of that size. */
static inline bool bench_lets_output(size_t room, size_t buffer) { return !setting_output_rule || room < buffer / 4; }

static inline bool bench_outputs_each_write(void) { return setting_output_each; }

static inline bool bench_has_timers_with_poll(void) { return setting_timers_with_poll; }

static inline void bench_work(uint32_t frame_us, size_t bytes) {
    uint32_t work_us = frame_us;
    if (setting_byte_work_ns) {
        work_us += bytes * setting_byte_work_ns / 1000u;
    }
    if (!work_us) {
        return;
    }
    for (uint32_t from = clock_us(); !clock_is_over(from, work_us);) {
    }
}

/* Passes what another processor would take for a frame of so many bytes that goes out, or that has come in. */
static inline void bench_work_out(size_t bytes) { bench_work(0, bytes); }
static inline void bench_work_in(size_t bytes) { bench_work(setting_frame_work_us, bytes); }
#else
static inline bool bench_lets_output(size_t room, size_t buffer) {
    (void)room;
    (void)buffer;
    return true;
}

static inline bool bench_outputs_each_write(void) { return false; }

static inline bool bench_has_timers_with_poll(void) { return false; }

static inline void bench_work_out(size_t bytes) { (void)bytes; }

static inline void bench_work_in(size_t bytes) { (void)bytes; }
#endif

#endif

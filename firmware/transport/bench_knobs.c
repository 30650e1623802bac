/* The settings of bench_knobs.h. */
#ifdef AIRWIRE_BENCH_KNOBS
#include "bench_knobs.h"

/* Those of the loop over lwIP's raw interface: lwIP's own thread runs the timers else. */
#ifndef AIRWIRE_FREERTOS
SETTING(output_rule, 0, "choice at_once|nearly_full",
        "when what was written leaves: at once, or only when less than a quarter of the send buffer is free, else with "
        "lwIP's next timer, as old versions of MicroPython had it");
SETTING(timers_with_poll, 0, "on/off", "whether lwIP's timers run only when the chip is looked at");
SETTING(output_each, 0, "on/off",
        "whether each write is put into a segment of its own, as callers do who flush after every write");
#endif

SETTING(frame_work_us, 0, "us 0..1000000",
        "what another processor would take for a frame that comes in: for comparisons with other boards");
SETTING(byte_work_ns, 0, "ns 0..1000000",
        "what another processor would take for each byte of any frame, beside the bus");
#else
typedef int bench_knobs_are_left_out; /* C wants a file to have something */
#endif

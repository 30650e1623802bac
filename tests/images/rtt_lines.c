/* Writes 200 lines over RTT, as fast as it can, into a buffer that holds some twenty. Where it skips what does not fit,
 * it says three milliseconds later how many lines that were. With LATE_US there is no control block before that time.
 */
#include "rtt.h"
#include "support.h"
#include "text.h"

#ifndef MODE
#define MODE RTT_BLOCK
#endif
#ifndef LATE_US
#define LATE_US 1u
#endif
#define LINES 200u

static char line[32];

static int put_numbered(const char *before, uint32_t number, const char *after) {
    *append_text(append_decimal(append_text(line, before), number), after) = 0;
    return rtt_put_text(line);
}

int main(void) {
    clocks_start();
    for (uint32_t start = time_us(); time_us() - start < LATE_US;) {
    }
    rtt_start("Terminal", MODE, 0);
    uint32_t skipped = 0;
    for (uint32_t number = 1; number <= LINES; number++) {
        skipped += !put_numbered("line ", number, " of 200\n");
    }
    for (uint32_t start = time_us(); time_us() - start < 3000;) {
    }
    put_numbered("skipped ", skipped, "\n");
    interrupts_off();
    for (;;) {
        wait_for_interrupt();
    }
}

/* Two loops over global variables, compiled with -Og and the compiler's soft float, whose times on a board at
 * 125 MHz coridium.us has published: counting down from 1 000 000, and dividing a float until it is one. */
#include "support.h"

int count;
float value;

static inline void variables_are_in_memory(void) { __asm__ volatile("" ::: "memory"); }

int main(void) {
    console_start();
    count = 1000000;
    uint32_t from = time_us();
    while (count) {
        count = count - 1;
        variables_are_in_memory();
    }
    put_named("countdown us", time_us() - from);
    value = 1000000.0f;
    from = time_us();
    while (value > 1) {
        value = value / 1.0001f;
        count = count + 1;
        variables_are_in_memory();
    }
    put_named("divisions us", time_us() - from);
    put_named("divisions", (uint32_t)count);
    finish();
}

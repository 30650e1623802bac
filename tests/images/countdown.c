/* Two loops whose time on a real board at 125 MHz has been published (coridium.us: 96 ms and 591 ms): a
 * countdown of 1 000 000 in memory, and a float divided until it is below one, with the compiler's soft
 * float. */
#include "support.h"

int main(void) {
    console_start();
    volatile uint32_t count = 1000000;
    uint32_t from = time_us();
    while (count) {
        count--;
    }
    uint32_t ended = time_us();
    put_named("countdown to", count);
    put_named("~ microseconds", ended - from);

    volatile float divisor = 1.0001f;
    float value = 1000000.0f;
    uint32_t divisions = 0;
    from = time_us();
    while (value > 1.0f) {
        value = value / divisor;
        divisions++;
    }
    ended = time_us();
    put_named("divisions", divisions);
    put_named("~ microseconds", ended - from);
    finish();
}

/* A counted loop that switches a pin on and off by two SIO writes: 6 cycles a turn. */
#include "support.h"

#define PIN 2u
#define TURNS 100000u

int main(void) {
    console_start();
    pin_output(PIN);
    uint32_t from = time_us();
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        SIO_GPIO_OUT_SET = 1u << PIN;
        SIO_GPIO_OUT_CLR = 1u << PIN;
    }
    uint32_t ended = time_us();
    put_named("turns", TURNS);
    put_named("us", ended - from);
    finish();
}

/* Machine 0 sends bytes with a clock by side-set on GP3 and data on GP2; machine 1 receives them from the
 * same pads, with automatic pull and push. What comes back is printed. */
#include "pio_program.h"

#define DATA_PIN 2u
#define CLOCK_PIN 3u
#define RECEIVER 8u

static const uint16_t sender[] = {
    PIO_OUT_PINS(1) | PIO_SIDE1(0) | PIO_DELAY(1),
    PIO_NOP | PIO_SIDE1(1) | PIO_DELAY(1),
};
static const uint16_t receiver[] = {
    PIO_WAIT_GPIO(1, CLOCK_PIN),
    PIO_IN_PINS(1),
    PIO_WAIT_GPIO(0, CLOCK_PIN),
};

static uint32_t take(void) {
    while (PIO0_FSTAT & PIO_FSTAT_RXEMPTY(1)) {
    }
    return PIO0_RXF(1);
}

int main(void) {
    console_start();
    reset_release(RESET_PIO0);
    pio_load(0, sender, 2);
    pio_load(RECEIVER, receiver, 3);
    pio_output(0, DATA_PIN);
    pio_output(0, CLOCK_PIN);
    pio_prepare(0, 4 * 256, 0, 1, PINCTRL_OUT(DATA_PIN, 1) | PINCTRL_SIDE(CLOCK_PIN, 1),
                SHIFTCTRL_AUTOPULL(8));
    pio_prepare(1, 256, RECEIVER, RECEIVER + 2, PINCTRL_IN(DATA_PIN), SHIFTCTRL_AUTOPUSH(8));
    PIO0_CTRL = PIO_CTRL_RESTART(3);
    PIO0_CTRL = 3;
    put_text("one at a time:");
    for (uint32_t index = 0; index < 8; index++) {
        uint32_t byte = (index * 0x25 + 0x5a) & 0xff;
        if (index < 4) {
            PIO0_TXF(0) = byte << 24;
        } else {
            REGISTER8(&PIO0_TXF(0)) = (uint8_t)byte; /* a narrow write appears on all byte lanes (2.1.4) */
        }
        put_char(' ');
        put_hex(take(), 2);
    }
    put_text("\nfour queued:");
    uint32_t from = time_us();
    for (uint32_t index = 0; index < 4; index++) {
        PIO0_TXF(0) = 0xc3000000u + index * 0x11000000u;
    }
    for (uint32_t index = 0; index < 4; index++) {
        put_char(' ');
        put_hex(take(), 2);
    }
    put_char('\n');
    put_named("~ microseconds", time_us() - from);
    finish();
}

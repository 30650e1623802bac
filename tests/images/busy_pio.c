/* Machine 0 of PIO0 runs at 31.25 MHz all the time while the core computes from SRAM. CLOCK: a square wave on GP2, whose
 * program runs freely. FED: bits on GP2 with a clock by side-set on GP3, which the DMA brings from a ring of words.
 * Prints the sum that the core computed, and how many cycles that took. */
#include "pio_program.h"

#define DATA_PIN 2u
#define CLOCK_PIN 3u
#define WORDS 256u
#define RING_BITS 10u
#ifndef TURNS
#define TURNS 5000u
#endif

static uint32_t words[WORDS] __attribute__((aligned(WORDS * 4)));
static uint32_t copy[WORDS];

static IN_RAM uint32_t compute(uint32_t turns) {
    uint32_t sum = 0;
    for (uint32_t turn = 0; turn < turns; turn++) {
        for (uint32_t index = 0; index < WORDS; index++) {
            copy[index] = words[index] ^ sum;
        }
        for (uint32_t index = 0; index < WORDS; index++) {
            sum = (sum << 1 | sum >> 31) + copy[index];
        }
    }
    return sum;
}

#ifdef FED
static const uint16_t program[] = {PIO_OUT_PINS(1) | PIO_SIDE1(0), PIO_NOP | PIO_SIDE1(1)};

static void feed(void) {
    reset_release(RESET_DMA);
    DMA_READ_ADDR(0) = (uint32_t)(uintptr_t)words;
    DMA_WRITE_ADDR(0) = (uint32_t)(uintptr_t)&PIO0_TXF(0);
    DMA_TRANS_COUNT(0) = 0xffffffffu;
    DMA_CTRL_TRIG(0) = DMA_CTRL_EN | DMA_CTRL_INCR_READ | DMA_CTRL_RING_READ(RING_BITS) | DMA_CTRL_SIZE(2) |
                       DMA_CTRL_TREQ(0u) | DMA_CTRL_CHAIN_TO(0);
}
#else
static const uint16_t program[] = {PIO_SET_PINS(1), PIO_SET_PINS(0)};

static void feed(void) {}
#endif

int main(void) {
    console_start();
    reset_release(RESET_PIO0);
    for (uint32_t index = 0; index < WORDS; index++) {
        words[index] = index * 2654435761u;
    }
    pio_load(0, program, 2);
    pio_output(0, DATA_PIN);
    pio_output(0, CLOCK_PIN);
    pio_prepare(0, 4 * 256, 0, 1, PINCTRL_OUT(DATA_PIN, 1) | PINCTRL_SET(DATA_PIN, 1) | PINCTRL_SIDE(CLOCK_PIN, 1),
                SHIFTCTRL_AUTOPULL(0));
    PIO0_CTRL = PIO_CTRL_RESTART(1);
    PIO0_CTRL = 1;
    feed();
    put_text("PIO runs.\n");
    uint32_t started = time_us();
    uint32_t sum = compute(TURNS);
    uint32_t ended = time_us();
    put_named_hex("sum", sum);
    put_named("~ microseconds", ended - started);
    finish();
}

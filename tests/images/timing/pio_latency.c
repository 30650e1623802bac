/* A state machine sets its pin and reads it back ever later: after how many cycles it sees its own level, with and
 * without the input synchroniser. Then two machines copy pins to pins for ever, for whoever drives these. */
#include "pio_program.h"

#define PIN 2u
#define PIO0_INPUT_SYNC_BYPASS REGISTER(PIO0_BASE + 0x038)
#define PIO_MOV_PINS_PINS 0xa000u
#define PIO_PUSH 0x8020u
#define PIO_STAY(at) (at)
#define COPY_AT 4u

static uint32_t level_after(uint32_t cycles) {
    const uint16_t program[] = {(uint16_t)(PIO_SET_PINS(1) | PIO_DELAY(cycles - 1)), PIO_IN_PINS(1), PIO_PUSH,
                                PIO_STAY(3)};
    PIO0_CTRL = 0;
    PIO0_SM_PINCTRL(0) = PINCTRL_SET(PIN, 1) | PINCTRL_IN(PIN);
    PIO0_SM_INSTR(0) = PIO_SET_PINS(0);
    (void)time_us();
    pio_load(0, program, 4);
    pio_prepare(0, 256, 0, 3, PINCTRL_SET(PIN, 1) | PINCTRL_IN(PIN), 0);
    PIO0_CTRL = PIO_CTRL_RESTART(1);
    PIO0_CTRL = 1;
    while (PIO0_FSTAT & PIO_FSTAT_RXEMPTY(0)) {
    }
    return PIO0_RXF(0);
}

static uint32_t cycles_until_seen(uint32_t bypass) {
    PIO0_INPUT_SYNC_BYPASS = bypass;
    uint32_t cycles = 1;
    while (cycles < 16 && !level_after(cycles)) {
        cycles++;
    }
    return cycles;
}

/* Machines 1 and 2 copy GP4 to GP5 and, past the synchroniser, GP6 to GP7 with each cycle. */
static void copy_pins(void) {
    const uint16_t program[] = {PIO_MOV_PINS_PINS};
    pio_load(COPY_AT, program, 1);
    for (uint32_t machine = 1; machine < 3; machine++) {
        uint32_t input = 2 + 2 * machine, output = input + 1;
        pin_function(input, FUNCTION_NULL);
        pio_output(machine, output);
        pio_prepare(machine, 256, COPY_AT, COPY_AT, PINCTRL_OUT(output, 1) | PINCTRL_IN(input), 0);
    }
    PIO0_INPUT_SYNC_BYPASS = 1u << 6;
    PIO0_CTRL = 6;
}

int main(void) {
    console_start();
    reset_release(RESET_PIO0);
    pio_output(0, PIN);
    put_named("synchronised", cycles_until_seen(0));
    put_named("bypassed", cycles_until_seen(1u << PIN));
    copy_pins();
    finish();
}

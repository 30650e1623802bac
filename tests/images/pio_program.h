/* PIO instructions by name, as encoded in RP2040 datasheet 3.4, for the images that drive PIO0; and how a
 * state machine is set up. */
#ifndef PIO_PROGRAM_H
#define PIO_PROGRAM_H

#include "support.h"

#define PIO_DELAY(cycles) ((uint32_t)(cycles) << 8)
#define PIO_SIDE1(level) ((uint32_t)(level) << 12)
#define PIO_JMP_X_DECREMENT(target) (2u << 5 | (target))
#define PIO_WAIT_GPIO(level, pin) (0x2000u | (uint32_t)(level) << 7 | (pin))
#define PIO_IN_PINS(bits) (0x4000u | (bits))
#define PIO_OUT_PINS(bits) (0x6000u | (bits))
#define PIO_PULL_BLOCK 0x80a0u
#define PIO_NOP 0xa042u /* mov y, y */
#define PIO_MOV_X_OSR 0xa027u
#define PIO_IRQ_OWN 0xc010u /* sets the flag of the machine's own number */
#define PIO_SET_PINS(value) (0xe000u | (value))
#define PIO_SET_PINDIRS(value) (0xe080u | (value))

/* Restarts machines and their dividers: shift counters, delays and stalls are forgotten (3.5.1). */
#define PIO_CTRL_RESTART(machines) ((uint32_t)(machines) << 4 | (uint32_t)(machines) << 8)
#define PINCTRL_OUT(base, count) ((uint32_t)(base) | (uint32_t)(count) << 20)
#define PINCTRL_SET(base, count) ((uint32_t)(base) << 5 | (uint32_t)(count) << 26)
#define PINCTRL_SIDE(base, count) ((uint32_t)(base) << 10 | (uint32_t)(count) << 29)
#define PINCTRL_IN(base) ((uint32_t)(base) << 15)
#define SHIFTCTRL_AUTOPUSH(bits) (1u << 16 | (uint32_t)(bits) << 20)
#define SHIFTCTRL_AUTOPULL(bits) (1u << 17 | (uint32_t)(bits) << 25)

static inline void pio_load(uint32_t at, const uint16_t *program, uint32_t length) {
    for (uint32_t index = 0; index < length; index++) {
        PIO0_INSTR_MEM(at + index) = program[index];
    }
}

/* Makes `pin` an output of PIO0, by means of a machine whose PINCTRL is set again afterwards. */
static inline void pio_output(uint32_t machine, uint32_t pin) {
    PIO0_SM_PINCTRL(machine) = PINCTRL_SET(pin, 1);
    PIO0_SM_INSTR(machine) = PIO_SET_PINDIRS(1);
    pin_function(pin, FUNCTION_PIO0);
}

/* Divider in 1/256; the machine starts at `first` and wraps from `last` to `first`. */
static inline void pio_prepare(uint32_t machine, uint32_t divider, uint32_t first, uint32_t last,
                               uint32_t pins, uint32_t shift) {
    PIO0_SM_CLKDIV(machine) = divider << 8;
    PIO0_SM_EXECCTRL(machine) = last << 12 | first << 7;
    PIO0_SM_SHIFTCTRL(machine) = shift;
    PIO0_SM_PINCTRL(machine) = pins;
    PIO0_SM_INSTR(machine) = first; /* jmp first */
}

#endif

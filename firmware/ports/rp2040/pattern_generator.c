/* State machine 0 of PIO1: it waits as many cycles as the FIFO says, then shifts the pattern out of a copy that it
 * keeps in ISR. The FIFO holds the waits of the next eight patterns. */
#include "pattern_generator.h"

#include "pads.h"
#include "resets.h"

#define MACHINE 0u
#define SET_PINS(value) (0xe000u | (value))
#define SET_PINDIRS(value) (0xe080u | (value))
#define PULL_BLOCK 0x80a0u
#define MOV_Y_OSR 0xa047u
#define MOV_ISR_OSR 0xa0c7u

/* From the first bit of a pattern to that of the next: bits * (Y + 4) + X + 4 cycles. */
static const uint16_t program[] = {
    PULL_BLOCK, 0xa027, /* mov x, osr */
    0x0042,             /* 2: jmp x-- 2 */
    0xa0e6,             /* mov osr, isr */
    0x6001,             /* 4: out pins, 1 */
    0xa022,             /* mov x, y */
    0x0046,             /* 6: jmp x-- 6 */
    0x00e4,             /* jmp !osre 4 */
};
#define PROGRAM_WORDS (sizeof program / sizeof program[0])
#define CYCLES_PER_BIT 4u
#define CYCLES_PER_PATTERN 4u

static uint32_t pattern_cycles;
static bool has_begun;

static void execute(uint32_t instruction) { PIO_SM_INSTR(PIO1_BASE, MACHINE) = instruction; }

void pattern_start(const struct pattern *pattern) {
    pattern_stop();
    resets_release(RESET_PIO1);
    for (unsigned index = 0; index < PROGRAM_WORDS; index++) {
        PIO_INSTR_MEM(PIO1_BASE, index) = program[index];
    }
    PIO_SM_CLKDIV(PIO1_BASE, MACHINE) = 1u << 16;
    PIO_SM_EXECCTRL(PIO1_BASE, MACHINE) = PIO_SM_EXECCTRL_WRAP(PROGRAM_WORDS - 1u, 0);
    PIO_SM_SHIFTCTRL(PIO1_BASE, MACHINE) =
        PIO_SM_SHIFTCTRL_JOIN_TX | PIO_SM_SHIFTCTRL_OUT_RIGHT | PIO_SM_SHIFTCTRL_PULL_AT(pattern->bits);
    PIO_SM_PINCTRL(PIO1_BASE, MACHINE) = PIO_SM_PINCTRL_SET(pattern->pin, 1) | PIO_SM_PINCTRL_OUT(pattern->pin, 1);
    execute(SET_PINS(pattern->idle));
    execute(SET_PINDIRS(1));
    PIO_TXF(PIO1_BASE, MACHINE) = pattern->bit_cycles - CYCLES_PER_BIT;
    execute(PULL_BLOCK);
    execute(MOV_Y_OSR);
    PIO_TXF(PIO1_BASE, MACHINE) = pattern->levels;
    execute(PULL_BLOCK);
    execute(MOV_ISR_OSR);
    execute(0); /* jmp 0 */
    pad_function(pattern->pin, FUNCTION_PIO1, 0);
    pattern_cycles = pattern->bits * pattern->bit_cycles;
    has_begun = false;
    PIO_CTRL(PIO1_BASE) = PIO_CTRL_ENABLE(1u << MACHINE);
}

bool pattern_has_room(void) { return !(PIO_FSTAT(PIO1_BASE) & PIO_FSTAT_TXFULL(MACHINE)); }

bool pattern_put(uint32_t interval_cycles) {
    uint32_t stalled = PIO_FDEBUG_TXSTALL(1u << MACHINE);
    bool is_late = has_begun && (PIO_FDEBUG(PIO1_BASE) & stalled);
    PIO_TXF(PIO1_BASE, MACHINE) = interval_cycles - (has_begun ? pattern_cycles : 0u) - CYCLES_PER_PATTERN;
    PIO_FDEBUG(PIO1_BASE) = stalled;
    has_begun = true;
    return is_late;
}

/* A pad whose function drives nothing leaves its pin alone. */
void pattern_stop(void) { RESETS_RESET_SET = RESET_PIO1; }

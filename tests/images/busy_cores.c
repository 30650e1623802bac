/* Both cores compute all the time, each on arrays of its own in SRAM, and meet at a spinlock at the end of every turn. DMA:
 * meanwhile two chained channels copy memory without a pause. Prints both sums. */
#include "support.h"

#ifndef TURNS
#define TURNS 3000u
#endif
#define WORDS 256u
#define CORE1_STACK_TOP 0x20041000u /* top of SRAM bank 4, SCRATCH_X */

extern const uint32_t vectors[];
static uint32_t arrays[2][2][WORDS];
static volatile uint32_t sums[2], turns_done[2], met;

static void CODE compute(uint32_t core) {
    uint32_t *from = arrays[core][0], *to = arrays[core][1];
    uint32_t sum = core;
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        for (uint32_t index = 0; index < WORDS; index++) {
            to[index] = from[index] ^ sum;
        }
        for (uint32_t index = 0; index < WORDS; index++) {
            sum = (sum << 1 | sum >> 31) + to[index];
        }
        while (!SIO_SPINLOCK(0)) {
        }
        met++;
        SIO_SPINLOCK(0) = 1;
        turns_done[core] = turn + 1;
    }
    sums[core] = sum;
}

static void core1_main(void) {
    compute(1);
    for (;;) {
        __asm__ volatile("wfe");
    }
}

static uint32_t receive(void) {
    while (!(SIO_FIFO_ST & SIO_FIFO_ST_VLD)) {
        __asm__ volatile("wfe");
    }
    return SIO_FIFO_RD;
}

static void launch(void (*entry)(void)) {
    const uint32_t sequence[] = {
        0, 0, 1, (uint32_t)(uintptr_t)vectors, CORE1_STACK_TOP, (uint32_t)(uintptr_t)entry};
    for (uint32_t index = 0; index < 6;) {
        while (sequence[index] == 0 && SIO_FIFO_ST & SIO_FIFO_ST_VLD) {
            (void)SIO_FIFO_RD;
        }
        SIO_FIFO_WR = sequence[index];
        __asm__ volatile("sev");
        index = receive() == sequence[index] ? index + 1 : 0;
    }
}

#ifdef COPIES
static uint32_t copied[2][WORDS];

static void copy(void) {
    reset_release(RESET_DMA);
    for (uint32_t channel = 0; channel < 2; channel++) {
        DMA_READ_ADDR(channel) = (uint32_t)(uintptr_t)copied[0];
        DMA_WRITE_ADDR(channel) = (uint32_t)(uintptr_t)copied[1];
        DMA_TRANS_COUNT(channel) = 1u << 20;
        DMA_AL1_CTRL(channel) = DMA_CTRL_EN | DMA_CTRL_SIZE(2) | DMA_CTRL_TREQ(0x3fu) | DMA_CTRL_CHAIN_TO(channel ^ 1);
    }
    DMA_MULTI_CHAN_TRIGGER = 1;
}
#else
static void copy(void) {}
#endif

int main(void) {
    console_start();
    for (uint32_t index = 0; index < WORDS; index++) {
        arrays[0][0][index] = index * 2654435761u;
        arrays[1][0][index] = index * 40503u;
    }
    launch(core1_main);
    copy();
    put_text("Two cores run.\n");
    uint32_t started = time_us();
    compute(0);
    while (turns_done[1] < TURNS) {
    }
    uint32_t ended = time_us();
    put_named("met", met);
    put_named_hex("sum of core 0", sums[0]);
    put_named_hex("sum of core 1", sums[1]);
    put_named("~ microseconds", ended - started);
    finish();
}

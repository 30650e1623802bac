/* What a further word of a DMA copy between two banks of SRAM costs. */
#include "support.h"

#define WORDS 4096u

static uint32_t source[WORDS], destination[WORDS + 1];

static uint32_t cycles_of(uint32_t words) {
    stopwatch_start();
    DMA_READ_ADDR(0) = (uint32_t)(uintptr_t)source;
    DMA_WRITE_ADDR(0) = (uint32_t)(uintptr_t)destination;
    DMA_TRANS_COUNT(0) = words;
    DMA_CTRL_TRIG(0) = DMA_CTRL_EN | DMA_CTRL_SIZE(2u) | DMA_CTRL_INCR_READ | DMA_CTRL_INCR_WRITE |
                       DMA_CTRL_CHAIN_TO(0) | DMA_CTRL_TREQ(TREQ_PERMANENT);
    while (DMA_AL1_CTRL(0) & DMA_CTRL_BUSY) {
    }
    return stopwatch_cycles();
}

int main(void) {
    console_start();
    reset_release(RESET_DMA);
    uint32_t few = cycles_of(96), many = cycles_of(4096);
    put_named("words", 4000);
    put_named("cycles", many - few);
    finish();
}

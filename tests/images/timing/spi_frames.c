/* How long an SPI frame is on the wire back to back, fed by DMA: further frames of a block in both clock phases. */
#include "support.h"

#define FRAMES 1024u

static uint16_t frames[FRAMES];

static uint32_t cycles_of(uint32_t log2_bytes, uint32_t count) {
    stopwatch_start();
    DMA_READ_ADDR(0) = (uint32_t)(uintptr_t)frames;
    DMA_WRITE_ADDR(0) = (uint32_t)(uintptr_t)&SPI0_SSPDR;
    DMA_TRANS_COUNT(0) = count;
    DMA_CTRL_TRIG(0) = DMA_CTRL_EN | DMA_CTRL_SIZE(log2_bytes) | DMA_CTRL_INCR_READ | DMA_CTRL_CHAIN_TO(0) |
                       DMA_CTRL_TREQ(DREQ_SPI0_TX);
    while (DMA_AL1_CTRL(0) & DMA_CTRL_BUSY) {
    }
    while (SPI0_SSPSR & SSPSR_BSY) {
    }
    return stopwatch_cycles();
}

static void measure(const char *name, uint32_t bits, uint32_t phase, uint32_t prescale) {
    uint32_t log2_bytes = bits > 8;
    SPI0_SSPCR1 = 0;
    SPI0_SSPCPSR = prescale;
    SPI0_SSPCR0 = phase << 7 | phase << 6 | (bits - 1);
    SPI0_SSPDMACR = 2;
    SPI0_SSPCR1 = SSPCR1_SSE;
    cycles_of(log2_bytes, 16);
    uint32_t few = cycles_of(log2_bytes, 24), many = cycles_of(log2_bytes, 1024);
    put_named(name, many - few);
}

int main(void) {
    console_start();
    reset_release(RESET_SPI0 | RESET_DMA);
    pin_function(18, FUNCTION_SPI);
    pin_function(19, FUNCTION_SPI);
    put_named("frames", 1000);
    measure("8 bits phase 0", 8, 0, 12);
    measure("8 bits phase 1", 8, 1, 12);
    measure("16 bits phase 0 fast", 16, 0, 2);
    finish();
}

/* Keeps SPI0 and DMA busy without a pause: 8-bit frames at 62.5 MHz in internal loopback, two chained
 * transmit channels (0 and 2) and two chained receive channels (1 and 3) of 256 bytes each. Each received
 * block raises an interrupt whose handler checks the block and toggles GP25. Stops after BLOCKS blocks. */
#include "support.h"

#ifndef BLOCKS
#define BLOCKS 1000
#endif
#define BLOCK_BYTES 256u
#define BLOCK_BITS 8u
#define LED 25

static uint32_t pattern[BLOCK_BYTES / 4] __attribute__((aligned(256)));
static uint32_t received[2][BLOCK_BYTES / 4] __attribute__((aligned(256)));
static volatile uint32_t blocks, checksum, errors;

static void stop(void) {
    for (uint32_t channel = 0; channel < 4; channel++) {
        DMA_AL1_CTRL(channel) = DMA_CTRL_CHAIN_TO(channel);
    }
    NVIC_ICER = 1u << DMA_IRQ_0;
}

static void check_block(const uint32_t *block) {
    uint32_t sum = checksum;
    for (uint32_t index = 0; index < BLOCK_BYTES / 4; index++) {
        sum = (sum << 1 | sum >> 31) + block[index];
    }
    checksum = sum;
    errors += block[0] != pattern[0] || block[BLOCK_BYTES / 4 - 1] != pattern[BLOCK_BYTES / 4 - 1];
    SIO_GPIO_OUT_XOR = 1u << LED;
    if (++blocks == BLOCKS) {
        stop();
    }
}

void dma_irq_0_handler(void) {
    uint32_t which = DMA_INTS0;
    DMA_INTS0 = which;
    if (which & 1u << 1) {
        check_block(received[0]);
    }
    if (which & 1u << 3 && blocks < BLOCKS) {
        check_block(received[1]);
    }
}

static void prepare(uint32_t channel, const void *from, void *to, uint32_t control) {
    DMA_READ_ADDR(channel) = (uint32_t)(uintptr_t)from;
    DMA_WRITE_ADDR(channel) = (uint32_t)(uintptr_t)to;
    DMA_TRANS_COUNT(channel) = BLOCK_BYTES;
    DMA_AL1_CTRL(channel) = DMA_CTRL_EN | DMA_CTRL_CHAIN_TO(channel ^ 2) | control;
}

int main(void) {
    console_start();
    reset_release(RESET_SPI0 | RESET_DMA);
    pin_output(LED);
    for (uint32_t index = 0; index < BLOCK_BYTES / 4; index++) {
        pattern[index] = 0x03020100u + 0x04040404u * index;
    }
    void *data = (void *)(uintptr_t)&SPI0_SSPDR;
    const uint32_t transmit =
        DMA_CTRL_INCR_READ | DMA_CTRL_RING_READ(BLOCK_BITS) | DMA_CTRL_TREQ(DREQ_SPI0_TX);
    const uint32_t receive =
        DMA_CTRL_INCR_WRITE | DMA_CTRL_RING_WRITE(BLOCK_BITS) | DMA_CTRL_TREQ(DREQ_SPI0_RX);
    prepare(0, pattern, data, transmit);
    prepare(2, pattern, data, transmit);
    prepare(1, data, received[0], receive);
    prepare(3, data, received[1], receive);
    DMA_INTE0 = 1u << 1 | 1u << 3;
    interrupt_enable(DMA_IRQ_0);
    SPI0_SSPCPSR = 2;
    SPI0_SSPCR0 = 7;
    SPI0_SSPDMACR = 3;
    SPI0_SSPCR1 = SSPCR1_LBM | SSPCR1_SSE;
    put_text("SPI and DMA run.\n");
    uint32_t started = time_us();
    DMA_MULTI_CHAN_TRIGGER = 1u << 0 | 1u << 1;
    while (blocks < BLOCKS) {
    }
    uint32_t ended = time_us();
    put_named("blocks", blocks);
    put_named("errors", errors);
    put_named_hex("checksum", checksum);
    put_named("~ microseconds", ended - started);
    finish();
}

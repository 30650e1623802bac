/* Memory-to-memory DMA with bytes, half-words and words, several lengths, and byte swap; each copy is
 * compared and timed. Then the same by a loop of the core, for comparison. */
#include "support.h"

#define WORDS 1024u

static uint32_t source[WORDS], destination[WORDS];

static uint32_t copy(uint32_t log2_bytes, uint32_t bytes, uint32_t options) {
    for (uint32_t index = 0; index < WORDS; index++) {
        destination[index] = 0xdeadbeef;
    }
    stopwatch_start();
    DMA_READ_ADDR(0) = (uint32_t)(uintptr_t)source;
    DMA_WRITE_ADDR(0) = (uint32_t)(uintptr_t)destination;
    DMA_TRANS_COUNT(0) = bytes >> log2_bytes;
    DMA_CTRL_TRIG(0) = DMA_CTRL_EN | DMA_CTRL_SIZE(log2_bytes) | DMA_CTRL_INCR_READ | DMA_CTRL_INCR_WRITE |
                       DMA_CTRL_CHAIN_TO(0) | DMA_CTRL_TREQ(TREQ_PERMANENT) | options;
    while (DMA_AL1_CTRL(0) & DMA_CTRL_BUSY) {
    }
    return stopwatch_cycles();
}

static uint32_t same_bytes(void) {
    const uint8_t *from = (const uint8_t *)source, *to = (const uint8_t *)destination;
    uint32_t count = 0;
    while (count < 4 * WORDS && from[count] == to[count]) {
        count++;
    }
    return count;
}

static void copy_and_print(uint32_t log2_bytes, uint32_t bytes) {
    uint32_t cycles = copy(log2_bytes, bytes, 0);
    put_named("bits", 8u << log2_bytes);
    put_named("  bytes", bytes);
    put_named("  same", same_bytes());
    put_named_hex("  next", destination[bytes / 4]);
    put_named("~ cycles", cycles);
}

int main(void) {
    static const uint16_t lengths[] = {4, 16, 64, 256, 1024, 4092};
    console_start();
    reset_release(RESET_DMA);
    for (uint32_t index = 0, value = 1; index < WORDS; index++) {
        value = value * 1664525 + 1013904223;
        source[index] = value;
    }
    for (uint32_t log2_bytes = 0; log2_bytes < 3; log2_bytes++) {
        for (uint32_t index = 0; index < sizeof lengths / sizeof lengths[0]; index++) {
            copy_and_print(log2_bytes, lengths[index]);
        }
    }
    copy(1, 16, DMA_CTRL_BSWAP);
    put_named_hex("source", source[0]);
    put_named_hex("half-words swapped", destination[0]);
    copy(2, 16, DMA_CTRL_BSWAP);
    put_named_hex("words swapped", destination[0]);
    stopwatch_start();
    for (uint32_t index = 0; index < WORDS; index++) {
        destination[index] = source[index];
    }
    uint32_t cycles = stopwatch_cycles();
    put_named("by the core, same", same_bytes());
    put_named("~ cycles", cycles);
    finish();
}

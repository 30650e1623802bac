/* Implementation of rmii_crc.h by the DMA's sniffer (RP2040 datasheet 2.5): it sees each byte of a channel, reversed,
 * as Ethernet sends the lowest bit first. */
#include "rmii_crc.h"

#include "registers.h"

static unsigned copier;

void rmii_crc_start(unsigned channel) {
    copier = channel;
    DMA_SNIFF_CTRL = DMA_SNIFF_EN | DMA_SNIFF_CHANNEL(channel) | DMA_SNIFF_CRC32_REVERSED | DMA_SNIFF_OUT_REV;
}

void RMII_FAST rmii_crc_begin(void) { DMA_SNIFF_DATA = 0xffffffffu; }

uint32_t RMII_FAST rmii_crc(void) { return DMA_SNIFF_DATA; }

/* A byte takes a cycle or two, so that the wait ends. */
static void RMII_FAST copy(uint8_t *to, const uint8_t *from, size_t count, uint32_t ring) {
    if (!count) {
        return;
    }
    DMA_READ_ADDR(copier) = (uint32_t)(uintptr_t)from;
    DMA_WRITE_ADDR(copier) = (uint32_t)(uintptr_t)to;
    DMA_TRANS_COUNT(copier) = count;
    __asm__ volatile("" ::: "memory");
    DMA_CTRL_TRIG(copier) = DMA_CTRL_EN | DMA_CTRL_SIZE(0) | DMA_CTRL_INCR_READ | DMA_CTRL_INCR_WRITE | ring |
                            DMA_CTRL_CHAIN_TO(copier) | DMA_CTRL_TREQ(TREQ_PERMANENT) | DMA_CTRL_SNIFF_EN;
    while (DMA_AL1_CTRL(copier) & DMA_CTRL_BUSY) {
    }
    __asm__ volatile("" ::: "memory");
}

void RMII_FAST rmii_crc_take(uint8_t *to, const uint8_t *ring, uint32_t place, size_t count) {
    copy(to, ring + place, count, DMA_CTRL_RING_READ(RMII_RING_BITS));
}

void RMII_FAST rmii_crc_put(uint8_t *ring, uint32_t place, const uint8_t *from, size_t count) {
    copy(ring + place, from, count, DMA_CTRL_RING_WRITE(RMII_RING_BITS));
}

/* Bytes to a WIZnet chip by SPI0: short transfers by the processor, long ones by two DMA channels. */
#include "wiznet_bus.h"

/* The fastest clock not above this is chosen; 33.3 MHz is what WIZnet guarantees (W5500 datasheet 5.5.4). */
#ifndef WIZNET_SPI_HZ
#define WIZNET_SPI_HZ 33300000u
#endif
#ifndef WIZNET_DMA
#define WIZNET_DMA 1
#endif
/* Whether the processor sleeps while the channels work, or asks them all the time. */
#ifndef WIZNET_DMA_SLEEP
#define WIZNET_DMA_SLEEP 0
#endif
#define PRESCALE 2u
#define CLOCK_RATE ((SYSTEM_HZ + PRESCALE * WIZNET_SPI_HZ - 1) / (PRESCALE * WIZNET_SPI_HZ))
#define FIFO_FRAMES 8u
/* Below this many bytes setting up the channels takes longer than the transfer. */
#define DMA_WORTHWHILE_BYTES 16u
#define TRANSMIT 0u
#define RECEIVE 1u

static uint8_t zero, waste;

void bus_start(void) {
    reset_release(RESET_SPI0 | RESET_DMA);
    SPI0_SSPCPSR = PRESCALE;
    SPI0_SSPCR0 = (CLOCK_RATE - 1) << 8 | 7;
    SPI0_SSPDMACR = 3;
    SPI0_SSPCR1 = SSPCR1_SSE;
    if (WIZNET_DMA_SLEEP) {
        DMA_INTE0 = 1u << RECEIVE;
        interrupt_enable(DMA_IRQ_0);
    }
    pin_function(WIZNET_MISO, FUNCTION_SPI);
    pin_function(WIZNET_SCLK, FUNCTION_SPI);
    pin_function(WIZNET_MOSI, FUNCTION_SPI);
}

static void transfer_by_processor(const uint8_t *sent, uint8_t *received, uint32_t bytes) {
    uint32_t to_send = bytes, to_receive = bytes;
    while (to_receive) {
        if (to_send && to_receive < to_send + FIFO_FRAMES) {
            SPI0_SSPDR = sent ? *sent++ : 0;
            to_send--;
        }
        if (SPI0_SSPSR & SSPSR_RNE) {
            uint8_t byte = (uint8_t)SPI0_SSPDR;
            if (received) {
                *received++ = byte;
            }
            to_receive--;
        }
    }
}

static void prepare(uint32_t channel, const volatile void *from, volatile void *to, uint32_t bytes, uint32_t control) {
    DMA_READ_ADDR(channel) = (uint32_t)(uintptr_t)from;
    DMA_WRITE_ADDR(channel) = (uint32_t)(uintptr_t)to;
    DMA_TRANS_COUNT(channel) = bytes;
    DMA_AL1_CTRL(channel) = DMA_CTRL_EN | DMA_CTRL_CHAIN_TO(channel) | control;
}

void bus_transfer(const uint8_t *sent, uint8_t *received, uint32_t bytes) {
    if (!WIZNET_DMA || bytes < DMA_WORTHWHILE_BYTES) {
        transfer_by_processor(sent, received, bytes);
        return;
    }
    prepare(TRANSMIT, sent ? sent : &zero, &SPI0_SSPDR, bytes,
            DMA_CTRL_TREQ(DREQ_SPI0_TX) | (sent ? DMA_CTRL_INCR_READ : 0));
    prepare(RECEIVE, &SPI0_SSPDR, received ? received : &waste, bytes,
            DMA_CTRL_TREQ(DREQ_SPI0_RX) | (received ? DMA_CTRL_INCR_WRITE : 0));
    DMA_MULTI_CHAN_TRIGGER = 1u << TRANSMIT | 1u << RECEIVE;
    while (DMA_AL1_CTRL(RECEIVE) & DMA_CTRL_BUSY) {
#if WIZNET_DMA_SLEEP
        wait_for_interrupt();
#endif
    }
    DMA_INTS0 = 1u << RECEIVE;
    NVIC_ICPR = 1u << DMA_IRQ_0;
    __asm__ volatile("" ::: "memory");
}

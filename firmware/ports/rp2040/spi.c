/* The SPI of the board's network chip, by the processor for short transfers and by DMA channels for long ones. */
#include "spi.h"

#include "board.h"
#include "gpio.h"
#include "interrupt.h"
#ifdef BOARD_NETWORK_SPI
#include "spi_block.h"
#else
#include "spi_pio.h"
#endif

/* A shorter transfer is over before another task has run. */
#define WAIT_WORTHWHILE_BYTES 256u
#define TRANSMIT 0u
#define RECEIVE 1u
#define FILL 2u

static const uint8_t zero;
static uint8_t waste;
static size_t dma_from;
static const struct spi_waiter *waiter;

void spi_set_dma_from(size_t bytes) { dma_from = bytes; }

void spi_set_waiter(const struct spi_waiter *wanted) {
    waiter = wanted;
    DMA_INTE0 = wanted ? 1u << RECEIVE : 0;
    NVIC_ISER = 1u << DMA_IRQ_0;
}

/* The loops here end, as whatever a FIFO holds is clocked out, whoever is at the other end. */
static uint8_t take(void) {
    while (!SPI_HAS_FRAME) {
    }
    return (uint8_t)SPI_IN;
}

static void send(const uint8_t *out, size_t count) {
    for (size_t index = 0; index < count; index++) {
        SPI_OUT = out ? out[index] : 0;
    }
}

static void receive(uint8_t *in, size_t count) {
    if (in) {
        for (size_t index = 0; index < count; index++) {
            in[index] = take();
        }
    } else {
        for (; count; count--) {
            take();
        }
    }
}

static void exchange_by_processor(const uint8_t *out, uint8_t *in, size_t count) {
    size_t to_send = count, to_receive = count;
    while (to_receive) {
        if (to_send && to_receive < to_send + SPI_FIFO_FRAMES) {
            SPI_OUT = out ? *out++ : 0;
            to_send--;
        }
        if (SPI_HAS_FRAME) {
            uint8_t byte = (uint8_t)SPI_IN;
            if (in) {
                *in++ = byte;
            }
            to_receive--;
        }
    }
}

static void prepare(uint32_t channel, const volatile void *from, volatile void *to, size_t count, uint32_t control) {
    DMA_READ_ADDR(channel) = (uint32_t)(uintptr_t)from;
    DMA_WRITE_ADDR(channel) = (uint32_t)(uintptr_t)to;
    DMA_TRANS_COUNT(channel) = count;
    DMA_AL1_CTRL(channel) = DMA_CTRL_EN | control;
}

bool spi_dma_is_done(void) { return !(DMA_AL1_CTRL(RECEIVE) & DMA_CTRL_BUSY); }

void dma_irq_0_handler(void) {
    DMA_INTS0 = 1u << RECEIVE;
    if (waiter) {
        waiter->done();
    }
}

static void run_dma(size_t count) {
    __asm__ volatile("" ::: "memory");
    DMA_MULTI_CHAN_TRIGGER = 1u << TRANSMIT | 1u << RECEIVE;
    while (!spi_dma_is_done()) {
        if (waiter && count >= WAIT_WORTHWHILE_BYTES) {
            waiter->wait();
        }
    }
    __asm__ volatile("" ::: "memory");
}

/* Behind the header the processor fills the FIFO, and makes the channels ready while that is on the wire: SCK does not
 * stand still, and no interrupt can make the FIFO overflow before the channel that empties it runs. */
static void exchange_by_dma(size_t header_bytes, const uint8_t *out, uint8_t *in, size_t count, size_t zeros) {
    size_t first = SPI_FIFO_FRAMES - header_bytes;
    uint32_t then = zeros ? FILL : TRANSMIT;
    send(out, first);
    prepare(TRANSMIT, out ? out + first : &zero, &SPI_OUT, count - first,
            DMA_CTRL_CHAIN_TO(then) | SPI_TREQ_OUT | (out ? DMA_CTRL_INCR_READ : 0));
    prepare(FILL, &zero, &SPI_OUT, zeros, DMA_CTRL_CHAIN_TO(FILL) | SPI_TREQ_OUT);
    prepare(RECEIVE, &SPI_IN, in ? in : &waste, count + zeros,
            DMA_CTRL_CHAIN_TO(RECEIVE) | SPI_TREQ_IN | (in ? DMA_CTRL_INCR_WRITE : 0));
    receive(NULL, header_bytes);
    run_dma(count + zeros);
}

static void exchange(const uint8_t *header, size_t header_bytes, const uint8_t *out, uint8_t *in, size_t count,
                     size_t zeros) {
    SIO_GPIO_OUT_CLR = 1u << BOARD_NETWORK_CSN;
    send(header, header_bytes);
    if (header_bytes + count + zeros <= SPI_FIFO_FRAMES) {
        send(out, count);
        send(NULL, zeros);
        receive(NULL, header_bytes);
        receive(in, count);
        receive(NULL, zeros);
    } else if (dma_from && count >= dma_from && header_bytes + count > SPI_FIFO_FRAMES) {
        exchange_by_dma(header_bytes, out, in, count, zeros);
    } else {
        receive(NULL, header_bytes);
        exchange_by_processor(out, in, count);
        exchange_by_processor(NULL, NULL, zeros);
    }
    SIO_GPIO_OUT_SET = 1u << BOARD_NETWORK_CSN;
}

void spi_exchange(const uint8_t *header, size_t header_bytes, const uint8_t *out, uint8_t *in, size_t count) {
    exchange(header, header_bytes, out, in, count, 0);
}

void spi_write_filled(const uint8_t *header, size_t header_bytes, const uint8_t *out, size_t count, size_t zeros) {
    exchange(header, header_bytes, out, NULL, count, zeros);
}

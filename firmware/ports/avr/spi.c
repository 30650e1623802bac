/* The SPI of the board's network chip, byte by byte: an AVR has neither DMA nor a FIFO, so that a byte costs more than
 * its bits. */
#include "spi.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#include "pins.h"

#define SLOWEST 6u /* of the dividers 2, 4, 8 to 128 */

/* SPR1 and SPR0 have the dividers 4, 16, 64 and 128; SPI2X halves the first three (datasheet, "SPCR"). */
static void set_divider(uint8_t power) {
    uint8_t rate = power == SLOWEST ? 3u : power / 2u;
    SPCR = (uint8_t)(_BV(SPE) | _BV(MSTR) | rate);
    SPSR = power % 2u == 0 && power != SLOWEST ? _BV(SPI2X) : 0;
}

uint32_t spi_start(uint32_t hz) {
    uint8_t power = 0;
    while (power < SLOWEST && BOARD_CRYSTAL_HZ >> (power + 1u) > hz) {
        power++;
    }
    /* SS as an input would make a device of the SPI whenever it is low. */
    PIN_PORT(PIN_OF_SS) |= PIN_BIT(PIN_OF_SS);
    PIN_DDR(PIN_OF_SS) |= PIN_BIT(PIN_OF_SS);
    PIN_PORT(BOARD_NETWORK_CSN) |= PIN_BIT(BOARD_NETWORK_CSN);
    PIN_DDR(BOARD_NETWORK_CSN) |= PIN_BIT(BOARD_NETWORK_CSN);
    PIN_DDR(BOARD_NETWORK_MOSI) |= PIN_BIT(BOARD_NETWORK_MOSI);
    PIN_DDR(BOARD_NETWORK_SCLK) |= PIN_BIT(BOARD_NETWORK_SCLK);
    set_divider(power);
    return BOARD_CRYSTAL_HZ >> (power + 1u);
}

static inline uint8_t hold_interrupts(void) {
    uint8_t flags = SREG;
    cli();
    return flags;
}

static inline void let_interrupts(uint8_t flags) { SREG = flags; }

/* For the bench: some firmware lets no interrupt come in while the chip is selected. Ours holds them where one would
 * cost a byte. */
#ifdef SPI_HOLDS_INTERRUPTS
#define HELD_WHILE_SELECTED true
#else
#define HELD_WHILE_SELECTED false
#endif

static inline uint8_t select(void) {
    uint8_t flags = HELD_WHILE_SELECTED ? hold_interrupts() : 0;
    PIN_PORT(BOARD_NETWORK_CSN) &= (uint8_t)~PIN_BIT(BOARD_NETWORK_CSN);
    return flags;
}

static inline void deselect(uint8_t flags) {
    PIN_PORT(BOARD_NETWORK_CSN) |= PIN_BIT(BOARD_NETWORK_CSN);
    if (HELD_WHILE_SELECTED) {
        let_interrupts(flags);
    }
}

/* Ends, as the SPI clocks a byte whoever is at the other end. */
static inline void wait(void) {
    while (!(SPSR & _BV(SPIF))) {
    }
}

static inline uint8_t move(uint8_t byte) {
    SPDR = byte;
    wait();
    return SPDR;
}

/* The next byte is fetched while the one before is on its way. */
static inline void send(const uint8_t *out, size_t count) {
    if (!count) {
        return;
    }
    SPDR = *out++;
    while (--count) {
        uint8_t next = *out++;
        wait();
        SPDR = next;
    }
    wait();
}

static inline void send_zeros(size_t count) {
    while (count--) {
        move(0);
    }
}

/* What came in is taken while the next byte is on its way: it may be read until that has come in whole (datasheet,
 * "Data Modes": the SPI has a second buffer for what it receives). So no interrupt may come in between, which would
 * last longer than a byte; they are let in while the byte is stored. */
static inline void receive(uint8_t *in, size_t count) {
    if (!count) {
        return;
    }
    SPDR = 0;
    while (--count) {
        uint8_t held = HELD_WHILE_SELECTED ? 0 : hold_interrupts();
        wait();
        SPDR = 0;
        uint8_t byte = SPDR;
        if (!HELD_WHILE_SELECTED) {
            let_interrupts(held);
        }
        *in++ = byte;
    }
    wait();
    *in = SPDR;
}

void spi_exchange(const uint8_t *header, size_t header_bytes, const uint8_t *out, uint8_t *in, size_t count) {
    uint8_t flags = select();
    send(header, header_bytes);
    if (in) {
        receive(in, count);
    } else if (out) {
        send(out, count);
    } else {
        send_zeros(count);
    }
    deselect(flags);
}

void spi_write_filled(const uint8_t *header, size_t header_bytes, const uint8_t *out, size_t count, size_t zeros) {
    uint8_t flags = select();
    send(header, header_bytes);
    send(out, count);
    send_zeros(zeros);
    deselect(flags);
}

static inline uint8_t move_one(uint8_t opcode, uint16_t address, uint8_t byte) {
    uint8_t flags = select();
    move(opcode);
    move((uint8_t)(address >> 8));
    move((uint8_t)address);
    byte = move(byte);
    deselect(flags);
    return byte;
}

void spi_exchange_each(uint8_t opcode, uint16_t address, const uint8_t *out, uint8_t *in, size_t count) {
    if (in) {
        while (count--) {
            *in++ = move_one(opcode, address++, 0);
        }
    } else {
        while (count--) {
            move_one(opcode, address++, *out++);
        }
    }
}

/* Nothing here goes by DMA. */
void spi_set_dma_from(size_t bytes) { (void)bytes; }
void spi_set_waiter(const struct spi_waiter *waiter) { (void)waiter; }
bool spi_dma_is_done(void) { return true; }

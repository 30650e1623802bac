/* The SPI that the board's network chip is on. Mode 0 or 3, as it suits the port: WIZnet's chips take both (W5500
 * datasheet 2.1). */
#ifndef HAL_SPI_H
#define HAL_SPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets up pins and clock: the fastest that is not above `hz`; returns what it came out as. */
uint32_t spi_start(uint32_t hz);
/* One transaction: selects the chip, moves the header, then `count` bytes, and deselects. `in` may be null for bytes
 * that nobody wants, `out` for zeros. By the processor where they are few, else by DMA. */
void spi_exchange(const uint8_t *header, size_t header_bytes, const uint8_t *out, uint8_t *in, size_t count);
/* One that writes, and `zeros` behind it. */
void spi_write_filled(const uint8_t *header, size_t header_bytes, const uint8_t *out, size_t count, size_t zeros);
/* For a chip that takes a transaction for each byte, as the W5100 does: opcode, address and byte, over and over with
 * the next address. A port that has none of its own leaves SPI_HAS_EXCHANGE_EACH undefined. */
void spi_exchange_each(uint8_t opcode, uint16_t address, const uint8_t *out, uint8_t *in, size_t count);
/* The shortest transfer that goes by DMA; 0 for none. */
void spi_set_dma_from(size_t bytes);
/* What to do while DMA works, in place of asking it all the time; null for that. It returns when spi_dma_is_done(), and
 * is woken by `done` from interrupt context. */
struct spi_waiter {
    void (*wait)(void);
    void (*done)(void);
};
void spi_set_waiter(const struct spi_waiter *waiter);
bool spi_dma_is_done(void);

#endif

/* The half-duplex SPI that the board's radio is on (gSPI): one line for both directions, which has the level of the
 * chip's interrupt while the chip is not selected. The host's bits are there at rising edges of the clock; the chip's
 * change at rising edges. Words go over the line as they lie in memory, the byte at the lowest address first. */
#ifndef HAL_GSPI_H
#define HAL_GSPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spi.h"

/* Sets up pins and clock: the fastest that is not above `hz`; returns what it came out as. The radio has no power. */
uint32_t gspi_start(uint32_t hz);
/* The radio's power. The line of data stays low until the first transaction. */
void gspi_power(bool is_on);
/* A transaction: selects the chip and writes a word; so many words follow out of gspi_put(), and then so many come in
 * by gspi_get(), whose `words` may be null for those that nobody wants. By the processor where they are few, else by
 * DMA. */
void gspi_begin(uint32_t command, size_t out_words, size_t in_words);
void gspi_put(const void *words, size_t count);
void gspi_get(void *words, size_t count);
void gspi_end(void);
/* The shortest transfer that goes by DMA; 0 for none. */
void gspi_set_dma_from(size_t bytes);
/* What to do while DMA works, as spi.h has it; `wait` may return early. */
void gspi_set_waiter(const struct spi_waiter *waiter);

/* Calls `handler` in interrupt context once the line is high while the chip is not selected; once for each
 * gspi_watch(). False where the port has no room for the handler. */
bool gspi_on_call(void (*handler)(void));
void gspi_watch(void);
/* Whether the line is high now; false during a transaction. */
bool gspi_is_calling(void);

#endif

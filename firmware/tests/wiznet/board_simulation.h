/* The board around the driver's chip, for tests: time that passes by being asked, pins that do nothing, and an SPI
 * whose other end is a function. */
#ifndef BOARD_SIMULATION_H
#define BOARD_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

/* One byte each way while the chip is selected; `place` counts from 0 since then. */
typedef uint8_t spi_peer(unsigned place, uint8_t out);
/* Begins anew with another chip. */
void board_begin(spi_peer *peer, void (*selected)(bool));
/* How often the bus has been used. */
extern uint64_t board_transactions;
/* The level of INTn. */
extern bool board_interrupt_level;

#endif

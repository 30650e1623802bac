/* A chip of WIZnet's for tests of the driver: SPI frames, registers, socket memories, commands that take effect at
 * once. Its addresses stand here a second time, from the datasheets, so that a slip in the driver's shows. */
#ifndef CHIP_SIMULATION_H
#define CHIP_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Powers the chip up, with a link. */
void chip_begin(void);
/* A common register. */
uint8_t *chip_common(unsigned offset);
/* A socket's register. */
uint8_t *chip_socket(unsigned socket, unsigned offset);
/* What SEND has taken out of a socket's memory since the start. */
const uint8_t *chip_sent(unsigned socket, size_t *count);
void chip_forget_sent(unsigned socket);
/* Puts bytes into a socket's receive memory; false when they do not fit. */
bool chip_receive(unsigned socket, const uint8_t *bytes, size_t count);
/* The same between the two bytes of the next reading of Sn_RX_RSR. */
void chip_receive_during_reading(unsigned socket, const uint8_t *bytes, size_t count);
/* A peer has connected with a socket that listens; or ended. */
void chip_accept(unsigned socket);
void chip_peer_ends(unsigned socket);
/* SEND does not come to its end until then. */
void chip_hold_sending(bool is_held);
/* The chip does not take this command: its code stays in Sn_CR. 0 has it take all of them again. */
void chip_refuse(uint8_t code);
/* SPI frames that no driver should make: a write to what can only be read, an address where nothing is. */
extern unsigned chip_faults;
/* Sizes of the memories in KiB, from the registers. */
unsigned chip_memory_kib(unsigned socket, bool is_transmit);

#endif

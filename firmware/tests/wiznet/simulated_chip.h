/* A chip of WIZnet's for tests of the driver: SPI frames, registers, socket memories, commands that take effect at
 * once. Its addresses stand here a second time, from the datasheets, so that a slip in the driver's shows. */
#ifndef SIMULATED_CHIP_H
#define SIMULATED_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulated_bus.h"

#define SENT_MOST_BYTES (1u << 20)

/* The kinds; each is the simulation's own transcription. */
extern const struct simulated_kind simulated_w5100, simulated_w5100s, simulated_w5200, simulated_w5500, simulated_w6100;

/* A chip on a bus of its own: `bus` is the context of simulated_port. */
struct simulated_chip {
    struct simulated_bus bus;
    const struct simulated_kind *kind;
    uint8_t space[32][65536]; /* by block, of which W5500 and W6100 alone have more than one */
    struct {
        uint8_t sent[SENT_MOST_BYTES];
        size_t sent_count;
        uint16_t tx_read, rx_read, rx_write, rx_count;
        bool is_held;
    } sockets[8];
    struct {
        const uint8_t *bytes;
        size_t count;
        unsigned socket;
    } during;
    bool holds;
    uint8_t refused; /* a command that the chip does not take; 0 for none */
    /* Of the transaction that is under way. */
    unsigned address, block, length;
    bool is_write;
    /* SPI frames that no driver should make: a write to what can only be read, an address where nothing is. */
    unsigned faults;
};

/* Powers the chip up, with a link. */
void chip_begin(struct simulated_chip *chip, const struct simulated_kind *kind);
/* How many KiB of memory it has in each direction. */
unsigned chip_memory_kib_in_all(const struct simulated_chip *chip);
/* Takes the cable away. */
void chip_lose_link(struct simulated_chip *chip);
/* A common register, by its place in the W5500; wherever the chip has it. */
uint8_t *chip_common(struct simulated_chip *chip, unsigned offset);
/* A socket's register, likewise. */
uint8_t *chip_socket(struct simulated_chip *chip, unsigned socket, unsigned offset);
/* What SEND has taken out of a socket's memory since the start. */
const uint8_t *chip_sent(struct simulated_chip *chip, unsigned socket, size_t *count);
void chip_forget_sent(struct simulated_chip *chip, unsigned socket);
/* Puts bytes into a socket's receive memory; false when they do not fit. */
bool chip_receive(struct simulated_chip *chip, unsigned socket, const uint8_t *bytes, size_t count);
/* The same between the two bytes of the next reading of Sn_RX_RSR. */
void chip_receive_during_reading(struct simulated_chip *chip, unsigned socket, const uint8_t *bytes, size_t count);
/* A peer has connected with a socket that listens; or ended. */
void chip_accept(struct simulated_chip *chip, unsigned socket);
void chip_peer_ends(struct simulated_chip *chip, unsigned socket);
/* SEND does not come to its end until then. */
void chip_hold_sending(struct simulated_chip *chip, bool is_held);
/* The chip does not take this command: its code stays in Sn_CR. 0 has it take all of them again. */
void chip_refuse(struct simulated_chip *chip, uint8_t code);
/* Sizes of the memories in KiB, from the registers. */
unsigned chip_memory_kib(struct simulated_chip *chip, unsigned socket, bool is_transmit);

#endif

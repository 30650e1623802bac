/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What differs between WIZnet's chips, as a table for each (chips/w5500.c and its like). wiznet_registers.h has what
 * they share. Registers are named as in the datasheets (their sections 3 and 4); where clocks, the reset pulse and the
 * time to start come from is in docs/explanation/fidelity-wiznet.md of the repository. */
#ifndef WIZNET_CHIP_H
#define WIZNET_CHIP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What goes before the data of a transaction (the datasheets' sections on SPI). */
enum wiznet_header {
    WIZNET_HEADER_BLOCK,   /* address, then block and direction: the W5500 and the W6100 */
    WIZNET_HEADER_COUNTED, /* address, then direction and how many bytes follow: the W5200 */
    WIZNET_HEADER_OPCODE,  /* direction, then the address: the W5100 and the W5100S */
};

/* What wiznet_sentence() says. */
struct wiznet_sentences {
    const char *ready, *no_chip, *no_link, *no_address;
};

/* Where the common registers are that all chips have. The mask stands behind the gateway, or not. */
struct wiznet_common_places {
    uint16_t GAR, SUBR, SHAR, SIPR;
};

/* Where a socket's registers are, from the first of them on. What clears Sn_IR is Sn_IR itself but on the W6100. */
struct wiznet_socket_places {
    uint16_t Sn_MR, Sn_CR, Sn_IR, Sn_IRCLR, Sn_SR, Sn_PORT, Sn_DIPR, Sn_DPORT, Sn_RXBUF_SIZE, Sn_TXBUF_SIZE, Sn_TX_FSR,
        Sn_TX_WR, Sn_RX_RSR, Sn_RX_RD, Sn_IMR;
};

/* As the chips before the W6100 have them. */
#define WIZNET_COMMON_PLACES {0x01, 0x05, 0x09, 0x0f}
#define WIZNET_SOCKET_PLACES {0x00, 0x01, 0x02, 0x02, 0x03, 0x04, 0x0c, 0x10, 0x1e, 0x1f, 0x20, 0x24, 0x26, 0x28, 0x2c}

struct wiznet_chip {
    const char *name;
    struct wiznet_sentences sentences;
    uint32_t most_spi_hz; /* the fastest SCK that is guaranteed */
    uint16_t reset_us;    /* the shortest pulse of RSTn */
    uint16_t start_ms;    /* how long after it no answer is to be expected */
    uint8_t sockets;
    uint8_t memory_kib; /* of all sockets together, in each direction */
    /* How addresses go over the bus. */
    uint8_t header; /* an enum wiznet_header */
    uint8_t header_bytes;
    bool is_byte_by_byte;
    /* An address holds the offset in its low half; where there are blocks, their select bits lie above it (W5500
     * datasheet, 2.2.2).
     * A socket's registers and memories lie one step behind those of the socket before. */
    uint32_t socket_registers, socket_step;
    uint32_t tx_memory, rx_memory, memory_step;
    bool
        memory_wraps; /* each memory by itself; else all share one address space, and a burst must end where one ends */
    struct wiznet_common_places common;
    struct wiznet_socket_places socket;
    /* Registers that not all of them have, or have elsewhere: 0 for none. */
    uint16_t version_register, version;
    uint16_t interrupts, interrupt_mask; /* SIR and SIMR of the sockets; IR and IMR where they share one */
    bool has_socket_mask;                /* Sn_IMR */
    uint16_t phy, phy_link;              /* the register with the link, and its bit there */
    uint16_t lock, unlock;               /* where the addresses are locked after a reset, and what unlocks them */
    uint16_t memory_sizes;               /* RMSR; TMSR behind it. Else each socket has its own: Sn_RXBUF_SIZE */
    uint8_t macraw;                      /* Sn_MR for MACRAW with frames to the own address and to all only */
    bool tells_length_first;             /* before a datagram: the length, then the address and the port */
};

/* A table has external linkage, but where WIZNET_CONFIG (wiznet.h) gives it to the compiler: then each file has its
 * own. */
#ifdef WIZNET_CONFIG
#define WIZNET_TABLE static
#else
#define WIZNET_TABLE
extern const struct wiznet_chip wiznet_w5100, wiznet_w5100s, wiznet_w5200, wiznet_w5500, wiznet_w6100;
#endif

/* The sentences with a chip's name in them. */
#define WIZNET_SENTENCES(name)                                                                                         \
    {                                                                                                                  \
        name " is ready.",                                                                                             \
        "No " name " answers on the SPI: look at its supply, RSTn, CSn, and at the SPI clock.",                        \
        name " has no link: is the cable plugged in, and the switch on?",                                              \
        name " has no IP address: set one, or wait for DHCP.",                                                         \
    }

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Driver of WIZnet's W5100, W5100S, W5200, W5500 and W6100: a chip, how it is reached, start, readiness, interrupts.
 * wiznet_sockets.h has the chip's own TCP and UDP, wiznet_frames.h whole Ethernet frames. There is no heap, no global
 * variable, and every wait has a limit. README.md says how to take it into another project. */
#ifndef WIZNET_H
#define WIZNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "wiznet_chip.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many of the chip's sockets a program uses at most: each costs 13 bytes. It is the same for the driver and for all
 * who use it. */
#ifndef WIZNET_MOST_SOCKETS
#define WIZNET_MOST_SOCKETS 8u
#endif

/* What a caller must never do stops a program under test: `-DWIZNET_ASSERT=assert` with <assert.h>. */
#ifndef WIZNET_ASSERT
#define WIZNET_ASSERT(condition) ((void)0)
#endif

/* What the driver needs of a board, as functions of its user. `context` is the one of struct wiznet. None but the last
 * may be null, and none is called from an interrupt handler. */
struct wiznet_port {
    /* Sets the SPI up, in mode 0 or 3 with the most significant bit first, for the fastest clock that is not above
     * `hz`. Returns what it came out as. */
    uint32_t (*start)(void *context, uint32_t hz);
    /* Drives RSTn low while the chip is held, else high. */
    void (*reset)(void *context, bool is_held);
    /* One transaction: selects the chip, writes the header, then `count` bytes out of `out` or into `in`, and
     * deselects. One of both is null: what goes out while bytes come in does not matter, nor what comes in while they
     * go out. */
    void (*exchange)(void *context, const uint8_t *header, size_t header_bytes, const uint8_t *out, uint8_t *in,
                     size_t count);
    /* One that writes, with that many zeros (fewer than 64) behind the bytes. */
    void (*write_filled)(void *context, const uint8_t *header, size_t header_bytes, const uint8_t *out, size_t count,
                         size_t zeros);
    /* Microseconds from any begin; they wrap after 2^32. */
    uint32_t (*microseconds)(void *context);
    /* Passes that time or less, asleep where the board can. */
    void (*sleep)(void *context, uint32_t limit_us);
    /* For the W5100, which takes a transaction for each byte: so many of them, each with the opcode, an address that
     * goes up by one, and the byte. A processor for which a call is dear has it; where it is null the driver makes each
     * of them by `exchange`. */
    void (*exchange_each)(void *context, uint8_t opcode, uint16_t address, const uint8_t *out, uint8_t *in,
                          size_t count);
};

/* The driver's own: what it keeps of a socket. */
struct wiznet_socket {
    uint16_t write, read;    /* where the next bytes go to and come from */
    uint16_t unsent, unread; /* written since SEND, read since RECV */
    uint16_t room;           /* so much is free at least */
    bool is_sending;         /* SENDOK has not come */
};

/* The driver's own: what it keeps of socket 0 that carries frames. */
struct wiznet_frames {
    uint16_t read_pointer, write_pointer;
    uint16_t left;    /* of the frame that is being read */
    uint16_t waiting; /* so many bytes stand in the receive memory at least, without those that are held */
    uint16_t held;    /* of frames that were taken: the chip has not been told yet */
    uint16_t written; /* of the frame that is being written */
    bool is_sending;
    /* So little waits that it must be one frame: its size is taken for granted until the first bytes are read. */
    bool is_guessed, is_doubtful;
};

/* One chip. A program names its `chip`, `port` and `context`, and leaves the rest zero; it lives as long as the chip is
 * used. What is read most stands first, where a processor of 16-bit instructions reaches it in one. */
struct wiznet {
    union { /* the driver's own: as socket 0 takes all of the memory for frames, there is one or the other */
        struct wiznet_socket sockets[WIZNET_MOST_SOCKETS];
        struct wiznet_frames frames;
    };
    const struct wiznet_chip *chip; /* &wiznet_w5500, or another table */
    const struct wiznet_port *port;
    void *context; /* handed to the port's functions */
    /* The driver's own. */
    uint8_t memory_kib[WIZNET_MOST_SOCKETS];
    bool has_address;
    uint32_t spi_hz;
    uint32_t frame_faults;
    uint32_t gateway, mask; /* as the chip has them, by which one without a version register is known */
};

/* A program with one kind of chip on one kind of port can name both for the compiler, which then leaves out whatever
 * other chips need, and calls the port's functions directly: -DWIZNET_CONFIG='"file.h"' includes a header that defines
 * WIZNET_CHIP(wiznet) and WIZNET_PORT(wiznet). */
#ifdef WIZNET_CONFIG
#include WIZNET_CONFIG
#endif
#ifndef WIZNET_CHIP
#define WIZNET_CHIP(wiznet) ((wiznet)->chip)
#endif
#ifndef WIZNET_PORT
#define WIZNET_PORT(wiznet) ((wiznet)->port)
#endif

/* Why the chip cannot be used, or not yet. */
enum wiznet_fault {
    WIZNET_READY,
    WIZNET_NO_CHIP,    /* nothing on the SPI answers as the chip does */
    WIZNET_NO_LINK,    /* no cable, or the PHY still negotiates */
    WIZNET_NO_ADDRESS, /* no IP address was set */
};

/* Addresses in the order of the wire: the first octet lowest in memory. */
struct wiznet_addresses {
    uint32_t address, mask, gateway;
};

/* An address by its octets: {192, 168, 1, 50}. */
static inline uint32_t wiznet_address(const uint8_t octets[4]) {
    uint32_t address;
    memcpy(&address, octets, 4);
    return address;
}

/* Resets the chip by its pin, sets up the SPI for `hz` at most, and waits until the chip answers. Returns WIZNET_READY
 * or WIZNET_NO_CHIP. */
enum wiznet_fault wiznet_start(struct wiznet *wiznet, uint32_t hz, const uint8_t mac[6]);
/* The SPI clock that it came out as. */
uint32_t wiznet_spi_hz(const struct wiznet *wiznet);
/* From here on the chip answers ARP and ping. */
void wiznet_set_addresses(struct wiznet *wiznet, const struct wiznet_addresses *addresses);
/* Asks the chip whether a connection can be opened now. */
enum wiznet_fault wiznet_query(struct wiznet *wiznet);
/* Whether wiznet_query() knows of the link: the W5100 has no register for it. */
bool wiznet_knows_link(const struct wiznet *wiznet);
/* Asks until it can, or for that time, an hour at most. Returns what the chip last said. */
enum wiznet_fault wiznet_wait_until_ready(struct wiznet *wiznet, uint32_t limit_ms);
/* What a fault means, and what a person can do about it. */
const char *wiznet_sentence(const struct wiznet *wiznet, enum wiznet_fault fault);
const char *wiznet_chip_name(const struct wiznet *wiznet);

/* Lets these sockets (a bit each) raise the interrupt pin. */
void wiznet_watch_sockets(struct wiznet *wiznet, uint32_t sockets);
/* Sockets whose interrupt stands, a bit each. */
uint32_t wiznet_interrupts(struct wiznet *wiznet);

#ifdef __cplusplus
}
#endif

#endif

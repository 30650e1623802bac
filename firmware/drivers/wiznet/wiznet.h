/* Driver of WIZnet's W5100, W5100S, W5200 and W5500: start, readiness, interrupts. sockets.h has the chip's own TCP and
 * UDP, frames.h whole Ethernet frames, watch.h how its interrupt pin is noticed. */
#ifndef WIZNET_H
#define WIZNET_H

#include <stdbool.h>
#include <stdint.h>

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

/* Resets the chip by its pin, sets up the SPI for `hz` at most, and waits until the chip answers. Returns WIZNET_READY or
 * WIZNET_NO_CHIP. */
enum wiznet_fault wiznet_start(uint32_t hz, const uint8_t mac[6]);
/* The SPI clock that it came out as. */
uint32_t wiznet_spi_hz(void);
/* From here on the chip answers ARP and ping. */
void wiznet_set_addresses(const struct wiznet_addresses *addresses);
/* Asks the chip whether a connection can be opened now. */
enum wiznet_fault wiznet_query(void);
/* Whether wiznet_query() knows of the link: the W5100 has no register for it. */
bool wiznet_knows_link(void);
/* Asks until it can, or for that time; what it last said. */
enum wiznet_fault wiznet_wait_until_ready(uint32_t limit_ms);
/* What it is called, and what a person can do about it. */
const char *wiznet_sentence(enum wiznet_fault fault);
const char *wiznet_chip_name(void);

/* Lets these sockets (a bit each) raise the interrupt pin. */
void wiznet_watch_sockets(uint32_t sockets);
/* Sockets whose interrupt stands, a bit each. */
uint32_t wiznet_interrupts(void);

#endif

/* A small driver of WIZnet's W5500, or of the W5100S where W5100S is defined. All of it is written a second time,
 * beside the firmware's driver, so that the chip's model meets two drivers that know nothing of each other. The bytes
 * go by way of wiznet_bus.h. */
#ifndef WIZNET_H
#define WIZNET_H

#include "chip.h"
#include "wiznet_bus.h"

/* Where the images find themselves and the PC. */
#define ADDRESS(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))
#ifndef OWN_ADDRESS
#define OWN_ADDRESS ADDRESS(192, 168, 1, 50)
#endif
#ifndef PC_ADDRESS
#define PC_ADDRESS ADDRESS(192, 168, 1, 1)
#endif
#define OWN_MAC {0x02, 0x00, 0x00, 0x41, 0x57, 0x50}

uint8_t read8(uint32_t address);
uint16_t read16(uint32_t address);
void write8(uint32_t address, uint8_t value);
void write16(uint32_t address, uint16_t value);
void write32(uint32_t address, uint32_t value);

/* Console, bus, reset by RSTn, VERSIONR. Without the chip the image says so and ends. Interrupts wake the processor from
 * here on, but call no handler: PRIMASK holds them back. */
void wiznet_start(void);
void wiznet_set_mac(void);
/* MAC, own address, gateway .1, /24. From here on the chip answers ARP and ping. */
void wiznet_set_addresses(void);
/* Waits for the link, 10 s at most; without one the image says so and ends. */
void wiznet_wait_for_link(void);
/* Gives each socket so many KiB in each direction, a power of two or none. */
void wiznet_set_buffers(const uint8_t kib[CHIP_SOCKETS]);
/* All three above, and buffers of 2 KiB for each socket. */
void wiznet_begin(void);

/* Interrupts of every socket on INTn, which wakes the processor. */
void wiznet_interrupts_start(void);
static inline int wiznet_interrupts(void) { return !(SIO_GPIO_IN >> WIZNET_INTN & 1); }
/* Sleeps until INTn is low, for that time at most. */
void wiznet_sleep(uint32_t limit_us);

/* Writes Sn_CR and waits until the chip has taken it. */
void socket_command(uint32_t socket, uint8_t command);
/* Closes the socket, sets Sn_MR and Sn_PORT and opens it; returns Sn_SR. */
uint8_t socket_open(uint32_t socket, uint8_t mode, uint16_t port);
void socket_connect(uint32_t socket, uint32_t address, uint16_t port);
/* Reads Sn_IR and clears what was read. */
uint8_t socket_take_interrupts(uint32_t socket);
/* Sn_TX_FSR and Sn_RX_RSR, read until two readings agree (W5500 datasheet 4.2). */
uint16_t socket_room(uint32_t socket);
uint16_t socket_received(uint32_t socket);
/* Bytes into the TX buffer behind those that wait there; CR_SEND sends them. */
void socket_put(uint32_t socket, const void *bytes, uint32_t count);
/* Bytes out of the RX buffer; CR_RECV frees their room. */
void socket_get(uint32_t socket, void *bytes, uint32_t count);

/* finish(), with nothing left that could end the sleep. */
_Noreturn void wiznet_finish(void);
/* Says why an image cannot go on, and ends it. */
_Noreturn void give_up(const char *why);

#endif

/* A small driver of WIZnet's W5500, or of the W5100S where W5100S is defined, by their registers (W5500 datasheet
 * 3 and 4, W5100S datasheet 3 and 4). The bytes go by way of wiznet_bus.h. Names are those of the datasheets. */
#ifndef WIZNET_H
#define WIZNET_H

#include "wiznet_bus.h"

#ifdef W5100S
#define SOCKETS 4u
#define BUFFER_KIB 8u
#define CHIP_NAME "W5100S"
#define CHIP_VERSION 0x51u
#define COMMON(offset) (offset)
#define SOCKET_REGISTER(socket, offset) (0x400u + 0x100u * (socket) + (offset))
#define VERSIONR COMMON(0x80)
#define PHYSR COMMON(0x3c)
#define SOCKET_INTERRUPTS COMMON(0x15)
#define SOCKET_INTERRUPT_MASK COMMON(0x16)
#define RTR COMMON(0x17)
#define RCR COMMON(0x19)
#define MACRAW_FILTER 0x40u
#else
#define SOCKETS 8u
#define BUFFER_KIB 16u
#define CHIP_NAME "W5500"
#define CHIP_VERSION 0x04u
/* Offset, and above it the block select bits (2.2.2). */
#define COMMON(offset) (offset)
#define SOCKET_REGISTER(socket, offset) ((4u * (socket) + 1u) << 16 | (offset))
#define VERSIONR COMMON(0x39)
#define PHYSR COMMON(0x2e)
#define SOCKET_INTERRUPTS COMMON(0x17)
#define SOCKET_INTERRUPT_MASK COMMON(0x18)
#define RTR COMMON(0x19)
#define RCR COMMON(0x1b)
#define MACRAW_FILTER 0x80u
#endif
#define ALL_SOCKETS ((1u << SOCKETS) - 1u)
#define PHYSR_LINK (1u << 0)

#define Sn_MR(socket) SOCKET_REGISTER(socket, 0x00u)
#define MR_TCP 0x01u
#define MR_UDP 0x02u
#define MR_MACRAW 0x04u
#define MR_NO_DELAYED_ACK 0x20u
#define Sn_CR(socket) SOCKET_REGISTER(socket, 0x01u)
#define CR_OPEN 0x01u
#define CR_LISTEN 0x02u
#define CR_CONNECT 0x04u
#define CR_DISCON 0x08u
#define CR_CLOSE 0x10u
#define CR_SEND 0x20u
#define CR_RECV 0x40u
#define Sn_IR(socket) SOCKET_REGISTER(socket, 0x02u)
#define IR_CON 0x01u
#define IR_DISCON 0x02u
#define IR_RECV 0x04u
#define IR_TIMEOUT 0x08u
#define IR_SENDOK 0x10u
#define Sn_SR(socket) SOCKET_REGISTER(socket, 0x03u)
#define SR_CLOSED 0x00u
#define SR_INIT 0x13u
#define SR_LISTEN 0x14u
#define SR_ESTABLISHED 0x17u
#define SR_TIME_WAIT 0x1bu
#define SR_CLOSE_WAIT 0x1cu
#define SR_UDP 0x22u
#define SR_MACRAW 0x42u
#define Sn_PORT(socket) SOCKET_REGISTER(socket, 0x04u)
#define Sn_DIPR(socket) SOCKET_REGISTER(socket, 0x0cu)
#define Sn_DPORT(socket) SOCKET_REGISTER(socket, 0x10u)
#define Sn_RXBUF_SIZE(socket) SOCKET_REGISTER(socket, 0x1eu)
#define Sn_TXBUF_SIZE(socket) SOCKET_REGISTER(socket, 0x1fu)
#define Sn_TX_FSR(socket) SOCKET_REGISTER(socket, 0x20u)
#define Sn_TX_WR(socket) SOCKET_REGISTER(socket, 0x24u)
#define Sn_RX_RSR(socket) SOCKET_REGISTER(socket, 0x26u)
#define Sn_RX_RD(socket) SOCKET_REGISTER(socket, 0x28u)
#define Sn_IMR(socket) SOCKET_REGISTER(socket, 0x2cu)

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
void wiznet_set_buffers(const uint8_t kib[SOCKETS]);
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

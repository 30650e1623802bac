/* Registers of the W5500 and the W5100S as these images use them, named as in the datasheets (their sections 3 and 4).
 * board.h chooses one. An address holds the offset in its low half; for the W5500 the block select bits lie above it
 * (W5500 datasheet 2.2.2). */
#ifndef WIZNET_CHIP_H
#define WIZNET_CHIP_H

#include "board.h"

#if defined(BOARD_WIZNET_W5500)
#define CHIP_NAME "W5500"
#define CHIP_SOCKETS 8u
#define CHIP_MEMORY_KIB 16u
#define SOCKET_REGISTER(socket, offset) ((4u * (socket) + 1u) << 16 | (offset))
#define TX_MEMORY(socket) ((4u * (socket) + 2u) << 16)
#define RX_MEMORY(socket) ((4u * (socket) + 3u) << 16)
#define VERSIONR 0x39u
#define CHIP_VERSION 0x04u
#define SIR 0x17u
#define SIMR 0x18u
#define PHY 0x2eu
#define PHY_LINK 0x01u
#define MACRAW_MAC_FILTER 0x80u
#elif defined(BOARD_WIZNET_W5100S)
#define CHIP_NAME "W5100S"
#define CHIP_SOCKETS 4u
#define CHIP_MEMORY_KIB 8u
#define SOCKET_REGISTER(socket, offset) (0x400u + 0x100u * (socket) + (offset))
#define TX_MEMORY(socket) 0x4000u
#define RX_MEMORY(socket) 0x6000u
#define VERSIONR 0x80u
#define CHIP_VERSION 0x51u
#define SIR 0x15u
#define SIMR 0x16u
#define PHY 0x3cu
#define PHY_LINK 0x01u
#define NETLCKR 0x71u
#define NETLCKR_UNLOCK 0xc5u
#define MACRAW_MAC_FILTER 0x40u
#else
#error "board.h names no WIZnet chip: define BOARD_WIZNET_W5100S or _W5500"
#endif

#define ALL_SOCKETS ((1u << CHIP_SOCKETS) - 1u)

#define GAR 0x01u
#define SUBR 0x05u
#define SHAR 0x09u
#define SIPR 0x0fu

#define Sn_MR(socket) SOCKET_REGISTER(socket, 0x00u)
#define MR_TCP 0x01u
#define MR_UDP 0x02u
#define MR_MACRAW 0x04u
#define Sn_CR(socket) SOCKET_REGISTER(socket, 0x01u)
#define CR_OPEN 0x01u
#define CR_LISTEN 0x02u
#define CR_CONNECT 0x04u
#define CR_DISCON 0x08u
#define CR_CLOSE 0x10u
#define CR_SEND 0x20u
#define CR_RECV 0x40u
#define Sn_IR(socket) SOCKET_REGISTER(socket, 0x02u)
#define IR_DISCON 0x02u
#define IR_RECV 0x04u
#define IR_TIMEOUT 0x08u
#define IR_SENDOK 0x10u
#define Sn_SR(socket) SOCKET_REGISTER(socket, 0x03u)
#define SR_CLOSED 0x00u
#define SR_INIT 0x13u
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

#endif

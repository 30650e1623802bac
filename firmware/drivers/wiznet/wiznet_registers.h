/* What differs between WIZnet's chips: register addresses, block numbers, memories, version. board.h chooses one by
 * BOARD_WIZNET_W5100, _W5100S, _W5200 or _W5500. Registers are named as in the datasheets (their sections 3 and 4). An
 * address holds the offset in its low half; for the W5500 the block select bits lie above it (W5500 datasheet 2.2.2).
 * Where clocks, the reset pulse and the time to start come from is in docs/fidelity-wiznet.md. */
#ifndef WIZNET_CHIP_H
#define WIZNET_CHIP_H

#include "board.h"

#if defined(BOARD_WIZNET_W5500)
#define CHIP_NAME "W5500"
#define CHIP_SOCKETS 8u
#define CHIP_MEMORY_KIB 16u
#define CHIP_SPI_HZ 33300000u /* guaranteed (5.5.4) */
#define CHIP_RESET_US 500u
#define CHIP_START_MS 1u
#define SOCKET_REGISTER(socket, offset) ((4u * (socket) + 1u) << 16 | (offset))
#define TX_MEMORY(socket) ((4u * (socket) + 2u) << 16)
#define RX_MEMORY(socket) ((4u * (socket) + 3u) << 16)
#define CHIP_MEMORY_WRAPS 1
#define VERSIONR 0x39u
#define CHIP_VERSION 0x04u
#define SIR 0x17u
#define SIMR 0x18u
#define PHY 0x2eu
#define PHY_LINK 0x01u
#define MACRAW_MAC_FILTER 0x80u
#elif defined(BOARD_WIZNET_W5200)
#define CHIP_NAME "W5200"
#define CHIP_SOCKETS 8u
#define CHIP_MEMORY_KIB 16u
#define CHIP_SPI_HZ 33300000u
#define CHIP_RESET_US 2u
#define CHIP_START_MS 150u
#define SOCKET_REGISTER(socket, offset) (0x4000u + 0x100u * (socket) + (offset))
#define TX_MEMORY(socket) 0x8000u
#define RX_MEMORY(socket) 0xc000u
#define CHIP_MEMORY_WRAPS 0
#define VERSIONR 0x1fu
#define CHIP_VERSION 0x03u
#define SIR 0x34u
#define SIMR 0x16u
#define PHY 0x35u
#define PHY_LINK 0x20u
#define MACRAW_MAC_FILTER 0x40u
#elif defined(BOARD_WIZNET_W5100S)
#define CHIP_NAME "W5100S"
#define CHIP_SOCKETS 4u
#define CHIP_MEMORY_KIB 8u
#define CHIP_SPI_HZ 33300000u
#define CHIP_RESET_US 500u
#define CHIP_START_MS 61u
#define SOCKET_REGISTER(socket, offset) (0x400u + 0x100u * (socket) + (offset))
#define TX_MEMORY(socket) 0x4000u
#define RX_MEMORY(socket) 0x6000u
#define CHIP_MEMORY_WRAPS 0
#define VERSIONR 0x80u
#define CHIP_VERSION 0x51u
#define SIR 0x15u
#define SIMR 0x16u
#define PHY 0x3cu
#define PHY_LINK 0x01u
#define NETLCKR 0x71u
#define NETLCKR_UNLOCK 0xc5u
#define RMSR 0x1au /* memory sizes of all sockets, two bits each: 1 KiB at least */
#define TMSR 0x1bu
#define MACRAW_MAC_FILTER 0x40u
#elif defined(BOARD_WIZNET_W5100)
#define CHIP_NAME "W5100"
#define CHIP_SOCKETS 4u
#define CHIP_MEMORY_KIB 8u
#define CHIP_SPI_HZ 14000000u /* 70 ns a cycle at least */
#define CHIP_RESET_US 2u
#define CHIP_START_MS 10u
#define SOCKET_REGISTER(socket, offset) (0x400u + 0x100u * (socket) + (offset))
#define TX_MEMORY(socket) 0x4000u
#define RX_MEMORY(socket) 0x6000u
#define CHIP_MEMORY_WRAPS 0
#define CHIP_BYTE_BY_BYTE 1 /* each byte is a transaction of its own */
#define SIR 0x15u           /* with CONFLICT, UNREACH and PPPoE in the upper half */
#define SIMR 0x16u
#define RMSR 0x1au /* memory sizes of all sockets, two bits each: 1 KiB at least */
#define TMSR 0x1bu
#define MACRAW_MAC_FILTER 0x40u
#else
#error "board.h names no WIZnet chip: define BOARD_WIZNET_W5100, _W5100S, _W5200 or _W5500"
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
#define IR_ALL 0x1fu
#define Sn_SR(socket) SOCKET_REGISTER(socket, 0x03u)
#define SR_CLOSED 0x00u
#define SR_ARP 0x01u /* before CONNECT: the W5100 */
#define SR_INIT 0x13u
#define SR_LISTEN 0x14u
#define SR_SYNSENT 0x15u
#define SR_SYNRECV 0x16u
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

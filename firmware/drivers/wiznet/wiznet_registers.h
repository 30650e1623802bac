/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Registers that WIZnet's chips share, for the driver itself: names as in the datasheets (their sections 3 and 4). */
#ifndef WIZNET_REGISTERS_H
#define WIZNET_REGISTERS_H

#include "wiznet.h"

#define GAR 0x01u
#define SUBR 0x05u
#define SHAR 0x09u
#define SIPR 0x0fu

/* A socket's register. */
#define SN(wiznet, socket, offset)                                                                                     \
    (WIZNET_CHIP(wiznet)->socket_registers + WIZNET_CHIP(wiznet)->socket_step * (socket) + (offset))
#define Sn_MR 0x00u
#define MR_TCP 0x01u
#define MR_UDP 0x02u
#define MR_MACRAW 0x04u
#define MR_NO_DELAYED_ACK 0x20u
#define Sn_CR 0x01u
#define CR_OPEN 0x01u
#define CR_LISTEN 0x02u
#define CR_CONNECT 0x04u
#define CR_DISCON 0x08u
#define CR_CLOSE 0x10u
#define CR_SEND 0x20u
#define CR_RECV 0x40u
#define Sn_IR 0x02u
#define IR_CON 0x01u
#define IR_DISCON 0x02u
#define IR_RECV 0x04u
#define IR_TIMEOUT 0x08u
#define IR_SENDOK 0x10u
#define IR_ALL 0x1fu
#define Sn_SR 0x03u
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
#define Sn_PORT 0x04u
#define Sn_DIPR 0x0cu
#define Sn_DPORT 0x10u
#define Sn_RXBUF_SIZE 0x1eu
#define Sn_TXBUF_SIZE 0x1fu
#define Sn_TX_FSR 0x20u
#define Sn_TX_WR 0x24u
#define Sn_RX_RSR 0x26u
#define Sn_RX_RD 0x28u
#define Sn_IMR 0x2cu

#endif

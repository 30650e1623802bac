/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Registers that WIZnet's chips share and their values, for the driver itself: names as in the datasheets (their
 * sections 3 and 4). Where each chip has them is in its table. */
#ifndef WIZNET_REGISTERS_H
#define WIZNET_REGISTERS_H

#include "wiznet.h"

/* A common register, and a socket's, by their names. */
#define COMMON(wiznet, name) ((uint32_t)WIZNET_CHIP(wiznet)->common.name)
#define SN(wiznet, number, name) SN_AT(wiznet, number, SN_OFFSET(wiznet, name))
#define SN_OFFSET(wiznet, name) (WIZNET_CHIP(wiznet)->socket.name)
#define SN_AT(wiznet, number, offset)                                                                                  \
    (WIZNET_CHIP(wiznet)->socket_registers + WIZNET_CHIP(wiznet)->socket_step * (number) + (offset))
/* Values of Sn_MR, Sn_CR, Sn_IR and Sn_SR. */
#define MR_TCP 0x01u
#define MR_UDP 0x02u
#define MR_NO_DELAYED_ACK 0x20u
#define CR_OPEN 0x01u
#define CR_LISTEN 0x02u
#define CR_CONNECT 0x04u
#define CR_DISCON 0x08u
#define CR_CLOSE 0x10u
#define CR_SEND 0x20u
#define CR_RECV 0x40u
#define IR_CON 0x01u
#define IR_DISCON 0x02u
#define IR_RECV 0x04u
#define IR_TIMEOUT 0x08u
#define IR_SENDOK 0x10u
#define IR_ALL 0x1fu
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

#endif

/* Registers of the ideal MAC, which only virtual boards have, at BOARD_IDEAL_MAC of board.h: a frame costs the
 * processor its copy and nothing else. docs/reference/ideal-mac.md says what each does. Registers are accessed as
 * words, frames as memory. */
#ifndef IDEAL_MAC_H
#define IDEAL_MAC_H

#include <stdint.h>

#include "board.h"

#define IDEAL_MAC_REGISTER(offset) (*(volatile uint32_t *)(BOARD_IDEAL_MAC + (offset)))

#define IDEAL_MAC_ID IDEAL_MAC_REGISTER(0x00u)
#define ID_VALUE 0x43414d49u /* "IMAC" in memory */
#define IDEAL_MAC_CONTROL IDEAL_MAC_REGISTER(0x04u)
#define CONTROL_RECEIVE 1u   /* when it is cleared, what waits is forgotten */
#define CONTROL_INTERRUPT 2u /* the interrupt pin is low while a frame waits */
#define IDEAL_MAC_STATUS IDEAL_MAC_REGISTER(0x08u)
#define STATUS_LINK 1u
#define IDEAL_MAC_LOW IDEAL_MAC_REGISTER(0x0cu)  /* the first four octets of the own address, the first lowest */
#define IDEAL_MAC_HIGH IDEAL_MAC_REGISTER(0x10u) /* the last two */
#define IDEAL_MAC_RX_BYTES IDEAL_MAC_REGISTER(0x14u)
#define IDEAL_MAC_RX_DONE IDEAL_MAC_REGISTER(0x18u) /* a write makes room for the next frame */
#define IDEAL_MAC_TX_ROOM IDEAL_MAC_REGISTER(0x1cu) /* in frames */
#define IDEAL_MAC_TX_SEND IDEAL_MAC_REGISTER(0x20u) /* bytes, and above bit 16 where in the memory they begin */
#define IDEAL_MAC_TX_REFUSED IDEAL_MAC_REGISTER(0x2cu)

#define IDEAL_MAC_RX_MEMORY ((const uint8_t *)(BOARD_IDEAL_MAC + 0x1000u))
#define IDEAL_MAC_TX_MEMORY ((uint8_t *)(BOARD_IDEAL_MAC + 0x2000u))
#define IDEAL_MAC_MEMORY_BYTES 0x800u

#endif

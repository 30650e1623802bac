/* The chip that the registers of chip.h are to be of. */
#ifndef BOARD_H
#define BOARD_H

#ifdef W5100S
#define BOARD_WIZNET_W5100S 1
#else
#define BOARD_WIZNET_W5500 1
#endif

#endif

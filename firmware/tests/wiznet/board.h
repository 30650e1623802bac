/* The board of the tests; the compiler's options name the chip. */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_CRYSTAL_HZ 12000000u
#define BOARD_NETWORK_SPI 0
#define BOARD_NETWORK_CSN 17u
#define BOARD_NETWORK_RSTN 20u
#define BOARD_NETWORK_INTN 21u

#endif

/* What a PC has of a board. */
#ifndef BOARD_H
#define BOARD_H

/* gpio.c says on the console when it changes. */
#define BOARD_LED 25u

#endif

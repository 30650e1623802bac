/* The board's one network interface: console, chip and lwIP started, and whether it is ready. */
#ifndef INTERFACE_H
#define INTERFACE_H

#include <stdbool.h>
#include <stdint.h>

/* Starts everything but the clock; without a chip it says so again and again, and does not return. */
void interface_start(const char *application, const char *transport);
/* Takes frames that have come in; whether there may be more. */
bool interface_receive(unsigned most);
/* What can wait until answers to those frames are on their way. */
void interface_settle(void);
/* Chip, link, address. */
bool interface_is_ready(void);
const char *interface_sentence(void);
uint32_t interface_address(void);

#endif

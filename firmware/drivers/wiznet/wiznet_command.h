/* Commands to a socket by its Sn_CR. */
#ifndef WIZNET_COMMAND_H
#define WIZNET_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the chip has taken it, which it says by clearing Sn_CR. */
bool socket_command(unsigned socket, uint8_t code);

#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Commands to a socket by its Sn_CR, for the driver itself. */
#ifndef WIZNET_COMMAND_H
#define WIZNET_COMMAND_H

#include "wiznet.h"

/* Whether the chip has taken it, which it says by clearing Sn_CR. */
bool wiznet_command(struct wiznet *wiznet, unsigned socket, uint8_t code);

#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Implementation of wiznet_command.h. */
#include "wiznet_command.h"

#include "wiznet_bus.h"
#include "wiznet_registers.h"

/* A command is taken within a microsecond; so many looks take at least 20 us on any SPI. */
#define COMMAND_LOOKS 64u

bool wiznet_command(struct wiznet *wiznet, unsigned socket, uint8_t code) {
    wiznet_sn_write8(wiznet, socket, Sn_CR, code);
    for (unsigned look = 0; look < COMMAND_LOOKS; look++) {
        if (!wiznet_sn_read8(wiznet, socket, Sn_CR)) {
            return true;
        }
    }
    return false;
}

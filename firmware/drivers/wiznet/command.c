/* Implementation of command.h. */
#include "command.h"

#include "bus.h"
#include "chip.h"

/* A command is taken within a microsecond; so many looks take at least 20 us on any SPI. */
#define COMMAND_LOOKS 64u

bool socket_command(unsigned socket, uint8_t code) {
    bus_write8(Sn_CR(socket), code);
    for (unsigned look = 0; look < COMMAND_LOOKS; look++) {
        if (!bus_read8(Sn_CR(socket))) {
            return true;
        }
    }
    return false;
}

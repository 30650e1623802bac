/* A board for tests of the driver, as its port: time that passes by being asked, and an SPI whose other end is a
 * function. */
#ifndef SIMULATED_BUS_H
#define SIMULATED_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "wiznet.h"

/* One byte each way while the chip is selected; `place` counts from 0 since then. */
typedef uint8_t spi_peer(void *context, unsigned place, uint8_t out);

/* The context of simulated_port. A test sets the first two. */
struct simulated_bus {
    spi_peer *peer;
    void *context;
    uint64_t transactions; /* how often the bus has been used, and of those in runs */
    uint64_t in_runs;
    uint64_t now_us;
};
/* One transaction after the other, and a port that has runs of them too. */
extern const struct wiznet_port simulated_port, simulated_port_with_runs;

#endif

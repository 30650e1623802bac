/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The driver's port on the Pico SDK: an SPI by the processor, CSn and RSTn by GPIO. It was compiled and tested against
 * functions of the SDK's signatures, and not run on a real board. */
#ifndef WIZNET_PICO_H
#define WIZNET_PICO_H

#include "hardware/spi.h"
#include "wiznet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the chip is: the context of wiznet_pico_port. */
struct wiznet_pico {
    spi_inst_t *spi;
    unsigned miso, cs, sck, mosi, reset;
};

extern const struct wiznet_port wiznet_pico_port;

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Registers and memory of the chip by SPI transactions, for the driver itself. */
#ifndef WIZNET_BUS_H
#define WIZNET_BUS_H

#include "wiznet.h"

void wiznet_bus_read(struct wiznet *wiznet, uint32_t address, uint8_t *bytes, size_t count);
void wiznet_bus_write(struct wiznet *wiznet, uint32_t address, const uint8_t *bytes, size_t count);
/* Writes that many zeros behind the bytes. */
void wiznet_bus_write_filled(struct wiznet *wiznet, uint32_t address, const uint8_t *bytes, size_t count, size_t zeros);
uint8_t wiznet_bus_read8(struct wiznet *wiznet, uint32_t address);
uint16_t wiznet_bus_read16(struct wiznet *wiznet, uint32_t address);
void wiznet_bus_write8(struct wiznet *wiznet, uint32_t address, uint8_t value);
void wiznet_bus_write16(struct wiznet *wiznet, uint32_t address, uint16_t value);

#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Registers and memory of the chip by SPI transactions, for the driver itself. */
#ifndef WIZNET_BUS_H
#define WIZNET_BUS_H

#include "wiznet_registers.h"

void wiznet_bus_read(struct wiznet *wiznet, uint32_t address, uint8_t *bytes, size_t count);
void wiznet_bus_write(struct wiznet *wiznet, uint32_t address, const uint8_t *bytes, size_t count);
/* Writes that many zeros behind the bytes. */
void wiznet_bus_write_filled(struct wiznet *wiznet, uint32_t address, const uint8_t *bytes, size_t count, size_t zeros);
uint8_t wiznet_bus_read8(struct wiznet *wiznet, uint32_t address);
uint16_t wiznet_bus_read16(struct wiznet *wiznet, uint32_t address);
void wiznet_bus_write8(struct wiznet *wiznet, uint32_t address, uint8_t value);
void wiznet_bus_write16(struct wiznet *wiznet, uint32_t address, uint16_t value);
/* A socket's register by its name (wiznet_registers.h). -DWIZNET_SMALL leaves one copy of what every call needs, where
 * size counts more than time. */
#ifdef WIZNET_SMALL
uint8_t wiznet_sn_read8(struct wiznet *wiznet, unsigned socket, uint32_t name);
uint16_t wiznet_sn_read16(struct wiznet *wiznet, unsigned socket, uint32_t name);
void wiznet_sn_write8(struct wiznet *wiznet, unsigned socket, uint32_t name, uint8_t value);
void wiznet_sn_write16(struct wiznet *wiznet, unsigned socket, uint32_t name, uint16_t value);
#else
#define wiznet_sn_read8(wiznet, socket, name) wiznet_bus_read8(wiznet, SN(wiznet, socket, name))
#define wiznet_sn_read16(wiznet, socket, name) wiznet_bus_read16(wiznet, SN(wiznet, socket, name))
#define wiznet_sn_write8(wiznet, socket, name, value) wiznet_bus_write8(wiznet, SN(wiznet, socket, name), value)
#define wiznet_sn_write16(wiznet, socket, name, value) wiznet_bus_write16(wiznet, SN(wiznet, socket, name), value)
#endif

#endif

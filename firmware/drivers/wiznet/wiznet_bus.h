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
/* A socket's register by its name, and by its offset. -DWIZNET_SMALL leaves one copy of what every call needs, where
 * size counts more than time. */
#define wiznet_sn_read8(wiznet, number, name) wiznet_sn_at_read8(wiznet, number, SN_OFFSET(wiznet, name))
#define wiznet_sn_read16(wiznet, number, name) wiznet_sn_at_read16(wiznet, number, SN_OFFSET(wiznet, name))
#define wiznet_sn_write8(wiznet, number, name, value)                                                                  \
    wiznet_sn_at_write8(wiznet, number, SN_OFFSET(wiznet, name), value)
#define wiznet_sn_write16(wiznet, number, name, value)                                                                 \
    wiznet_sn_at_write16(wiznet, number, SN_OFFSET(wiznet, name), value)
#ifdef WIZNET_SMALL
uint8_t wiznet_sn_at_read8(struct wiznet *wiznet, unsigned number, uint32_t offset);
uint16_t wiznet_sn_at_read16(struct wiznet *wiznet, unsigned number, uint32_t offset);
void wiznet_sn_at_write8(struct wiznet *wiznet, unsigned number, uint32_t offset, uint8_t value);
void wiznet_sn_at_write16(struct wiznet *wiznet, unsigned number, uint32_t offset, uint16_t value);
#else
#define wiznet_sn_at_read8(wiznet, number, offset) wiznet_bus_read8(wiznet, SN_AT(wiznet, number, offset))
#define wiznet_sn_at_read16(wiznet, number, offset) wiznet_bus_read16(wiznet, SN_AT(wiznet, number, offset))
#define wiznet_sn_at_write8(wiznet, number, offset, value)                                                             \
    wiznet_bus_write8(wiznet, SN_AT(wiznet, number, offset), value)
#define wiznet_sn_at_write16(wiznet, number, offset, value)                                                            \
    wiznet_bus_write16(wiznet, SN_AT(wiznet, number, offset), value)
#endif

#endif

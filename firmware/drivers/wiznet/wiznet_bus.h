/* Registers and memory of the chip by SPI transactions. */
#ifndef WIZNET_BUS_H
#define WIZNET_BUS_H

#include <stddef.h>
#include <stdint.h>

void bus_read(uint32_t address, uint8_t *bytes, size_t count);
void bus_write(uint32_t address, const uint8_t *bytes, size_t count);
/* With zeros behind. */
void bus_write_filled(uint32_t address, const uint8_t *bytes, size_t count, size_t zeros);
uint8_t bus_read8(uint32_t address);
uint16_t bus_read16(uint32_t address);
void bus_write8(uint32_t address, uint8_t value);
void bus_write16(uint32_t address, uint16_t value);

#endif

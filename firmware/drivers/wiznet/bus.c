/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* SPI frames of the chips (their datasheets' sections on SPI): what goes before the data, and how much data one
 * transaction may carry. */
#include "wiznet_bus.h"

#define MOST_HEADER_BYTES 4u
#define OPCODE_WRITE 0xf0u
#define OPCODE_READ 0x0fu
#ifdef WIZNET_SMALL
#define ONE_COPY __attribute__((noinline))
#else
#define ONE_COPY
#endif

static void make_header(const struct wiznet *wiznet, uint8_t *bytes, uint32_t address, bool is_write, size_t count) {
    switch (WIZNET_CHIP(wiznet)->header) {
    case WIZNET_HEADER_BLOCK:
        bytes[0] = (uint8_t)(address >> 8);
        bytes[1] = (uint8_t)address;
        bytes[2] = (uint8_t)(address >> 16 << 3 | (is_write ? 4u : 0));
        break;
    case WIZNET_HEADER_COUNTED:
        bytes[0] = (uint8_t)(address >> 8);
        bytes[1] = (uint8_t)address;
        bytes[2] = (uint8_t)(count >> 8 | (is_write ? 0x80u : 0));
        bytes[3] = (uint8_t)count;
        break;
    default:
        bytes[0] = is_write ? OPCODE_WRITE : OPCODE_READ;
        bytes[1] = (uint8_t)(address >> 8);
        bytes[2] = (uint8_t)address;
    }
}

ONE_COPY static void transact(struct wiznet *wiznet, uint32_t address, const uint8_t *out, uint8_t *in, size_t count) {
    uint8_t header[MOST_HEADER_BYTES];
    make_header(wiznet, header, address, out != NULL, count);
    WIZNET_PORT(wiznet)->exchange(wiznet->context, header, WIZNET_CHIP(wiznet)->header_bytes, out, in, count);
}

void wiznet_bus_read(struct wiznet *wiznet, uint32_t address, uint8_t *bytes, size_t count) {
    if (!WIZNET_CHIP(wiznet)->is_byte_by_byte) {
        transact(wiznet, address, NULL, bytes, count);
        return;
    }
    if (WIZNET_PORT(wiznet)->exchange_each) {
        WIZNET_PORT(wiznet)->exchange_each(wiznet->context, OPCODE_READ, (uint16_t)address, NULL, bytes, count);
        return;
    }
    for (size_t index = 0; index < count; index++) {
        transact(wiznet, address + index, NULL, bytes + index, 1);
    }
}

void wiznet_bus_write(struct wiznet *wiznet, uint32_t address, const uint8_t *bytes, size_t count) {
    if (!WIZNET_CHIP(wiznet)->is_byte_by_byte) {
        transact(wiznet, address, bytes, NULL, count);
        return;
    }
    if (WIZNET_PORT(wiznet)->exchange_each) {
        WIZNET_PORT(wiznet)->exchange_each(wiznet->context, OPCODE_WRITE, (uint16_t)address, bytes, NULL, count);
        return;
    }
    for (size_t index = 0; index < count; index++) {
        transact(wiznet, address + index, bytes + index, NULL, 1);
    }
}

void wiznet_bus_write_filled(struct wiznet *wiznet, uint32_t address, const uint8_t *bytes, size_t count,
                             size_t zeros) {
    if (!WIZNET_CHIP(wiznet)->is_byte_by_byte) {
        uint8_t header[MOST_HEADER_BYTES];
        make_header(wiznet, header, address, true, count + zeros);
        WIZNET_PORT(wiznet)->write_filled(wiznet->context, header, WIZNET_CHIP(wiznet)->header_bytes, bytes, count,
                                          zeros);
        return;
    }
    static const uint8_t zero;
    wiznet_bus_write(wiznet, address, bytes, count);
    for (size_t index = 0; index < zeros; index++) {
        transact(wiznet, address + count + index, &zero, NULL, 1);
    }
}

uint8_t wiznet_bus_read8(struct wiznet *wiznet, uint32_t address) {
    uint8_t value;
    wiznet_bus_read(wiznet, address, &value, 1);
    return value;
}

uint16_t wiznet_bus_read16(struct wiznet *wiznet, uint32_t address) {
    uint8_t value[2];
    wiznet_bus_read(wiznet, address, value, 2);
    return (uint16_t)((unsigned)value[0] << 8 | value[1]);
}

void wiznet_bus_write8(struct wiznet *wiznet, uint32_t address, uint8_t value) {
    wiznet_bus_write(wiznet, address, &value, 1);
}

void wiznet_bus_write16(struct wiznet *wiznet, uint32_t address, uint16_t value) {
    uint8_t bytes[2] = {(uint8_t)(value >> 8), (uint8_t)value};
    wiznet_bus_write(wiznet, address, bytes, 2);
}

#ifdef WIZNET_SMALL
ONE_COPY uint8_t wiznet_sn_at_read8(struct wiznet *wiznet, unsigned number, uint32_t offset) {
    return wiznet_bus_read8(wiznet, SN_AT(wiznet, number, offset));
}

ONE_COPY uint16_t wiznet_sn_at_read16(struct wiznet *wiznet, unsigned number, uint32_t offset) {
    return wiznet_bus_read16(wiznet, SN_AT(wiznet, number, offset));
}

ONE_COPY void wiznet_sn_at_write8(struct wiznet *wiznet, unsigned number, uint32_t offset, uint8_t value) {
    wiznet_bus_write8(wiznet, SN_AT(wiznet, number, offset), value);
}

ONE_COPY void wiznet_sn_at_write16(struct wiznet *wiznet, unsigned number, uint32_t offset, uint16_t value) {
    wiznet_bus_write16(wiznet, SN_AT(wiznet, number, offset), value);
}
#endif

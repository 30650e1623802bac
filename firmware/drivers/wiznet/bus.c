/* SPI frames of the four chips (their datasheets' sections on SPI): what goes before the data, and how much data one
 * transaction may carry. */
#include "bus.h"

#include "chip.h"
#include "spi.h"

#if defined(BOARD_WIZNET_W5500)
#define HEADER_BYTES 3u
#define WRITE_BIT 4u
static void header(uint8_t *bytes, uint32_t address, int write, size_t count) {
    (void)count;
    bytes[0] = (uint8_t)(address >> 8);
    bytes[1] = (uint8_t)address;
    bytes[2] = (uint8_t)(address >> 16 << 3 | (write ? WRITE_BIT : 0));
}
#elif defined(BOARD_WIZNET_W5200)
#define HEADER_BYTES 4u
static void header(uint8_t *bytes, uint32_t address, int write, size_t count) {
    bytes[0] = (uint8_t)(address >> 8);
    bytes[1] = (uint8_t)address;
    bytes[2] = (uint8_t)(count >> 8 | (write ? 0x80u : 0));
    bytes[3] = (uint8_t)count;
}
#else
#define HEADER_BYTES 3u
static void header(uint8_t *bytes, uint32_t address, int write, size_t count) {
    (void)count;
    bytes[0] = write ? 0xf0 : 0x0f;
    bytes[1] = (uint8_t)(address >> 8);
    bytes[2] = (uint8_t)address;
}
#endif

static void transact(uint32_t address, const uint8_t *out, uint8_t *in, size_t count) {
    uint8_t frame[HEADER_BYTES];
    header(frame, address, out != NULL, count);
    spi_exchange(frame, HEADER_BYTES, out, in, count);
}

void bus_read(uint32_t address, uint8_t *bytes, size_t count) {
#ifdef CHIP_BYTE_BY_BYTE
    for (size_t index = 0; index < count; index++) {
        transact(address + index, NULL, bytes + index, 1);
    }
#else
    transact(address, NULL, bytes, count);
#endif
}

void bus_write(uint32_t address, const uint8_t *bytes, size_t count) {
#ifdef CHIP_BYTE_BY_BYTE
    for (size_t index = 0; index < count; index++) {
        transact(address + index, bytes + index, NULL, 1);
    }
#else
    transact(address, bytes, NULL, count);
#endif
}

void bus_write_filled(uint32_t address, const uint8_t *bytes, size_t count, size_t zeros) {
#ifdef CHIP_BYTE_BY_BYTE
    static const uint8_t zero;
    bus_write(address, bytes, count);
    for (size_t index = 0; index < zeros; index++) {
        transact(address + count + index, &zero, NULL, 1);
    }
#else
    uint8_t frame[HEADER_BYTES];
    header(frame, address, 1, count + zeros);
    spi_write_filled(frame, HEADER_BYTES, bytes, count, zeros);
#endif
}

uint8_t bus_read8(uint32_t address) {
    uint8_t value;
    bus_read(address, &value, 1);
    return value;
}

uint16_t bus_read16(uint32_t address) {
    uint8_t value[2];
    bus_read(address, value, 2);
    return (uint16_t)(value[0] << 8 | value[1]);
}

void bus_write8(uint32_t address, uint8_t value) { bus_write(address, &value, 1); }

void bus_write16(uint32_t address, uint16_t value) {
    uint8_t bytes[2] = {(uint8_t)(value >> 8), (uint8_t)value};
    bus_write(address, bytes, 2);
}

/* Where a socket's pointer lies in the chip. The W5500 wraps by itself; in the flat address space of the others a burst
 * that reaches a memory's end goes on in the next socket's, so that it is cut in two there. */
#include "memory.h"

#include "bus.h"
#include "chip.h"
#include "sockets.h"

#ifdef RMSR
#define LEAST_KIB 1u
#else
#define LEAST_KIB 0u
#endif

static uint8_t memory_kib[CHIP_SOCKETS];

size_t memory_bytes(unsigned socket) { return memory_kib[socket] * 1024u; }

/* The socket whose memory is written last is the first, which may have most: so the sizes never add up to more than
 * there is. */
static void write_sizes(void) {
#ifdef RMSR
    static const uint8_t code[9] = {[1] = 0, [2] = 1, [4] = 2, [8] = 3};
    uint8_t sizes = 0;
    for (unsigned socket = 0; socket < CHIP_SOCKETS; socket++) {
        sizes |= (uint8_t)(code[memory_kib[socket]] << 2 * socket);
    }
    bus_write8(RMSR, sizes);
    bus_write8(TMSR, sizes);
#else
    for (unsigned socket = CHIP_SOCKETS; socket-- > 0;) {
        bus_write8(Sn_RXBUF_SIZE(socket), memory_kib[socket]);
        bus_write8(Sn_TXBUF_SIZE(socket), memory_kib[socket]);
    }
#endif
}

void sockets_share_memory(unsigned used) {
    unsigned each = CHIP_MEMORY_KIB;
    while (each > 1 && each * used + LEAST_KIB * (CHIP_SOCKETS - used) > CHIP_MEMORY_KIB) {
        each /= 2;
    }
    for (unsigned socket = 0; socket < CHIP_SOCKETS; socket++) {
        memory_kib[socket] = (uint8_t)(socket < used ? each : LEAST_KIB);
    }
    write_sizes();
}

#if CHIP_MEMORY_WRAPS
void memory_read(unsigned socket, uint16_t pointer, uint8_t *bytes, size_t count) {
    bus_read(RX_MEMORY(socket) | pointer, bytes, count);
}

void memory_write(unsigned socket, uint16_t pointer, const uint8_t *bytes, size_t count) {
    bus_write(TX_MEMORY(socket) | pointer, bytes, count);
}

void memory_write_filled(unsigned socket, uint16_t pointer, const uint8_t *bytes, size_t count, size_t zeros) {
    bus_write_filled(TX_MEMORY(socket) | pointer, bytes, count, zeros);
}
#else
static uint32_t base(unsigned socket) {
    uint32_t bytes = 0;
    for (unsigned before = 0; before < socket; before++) {
        bytes += memory_bytes(before);
    }
    return bytes;
}

void memory_read(unsigned socket, uint16_t pointer, uint8_t *bytes, size_t count) {
    size_t offset = pointer & (memory_bytes(socket) - 1u), first = memory_bytes(socket) - offset;
    first = count < first ? count : first;
    bus_read(RX_MEMORY(socket) + base(socket) + offset, bytes, first);
    if (count > first) {
        bus_read(RX_MEMORY(socket) + base(socket), bytes + first, count - first);
    }
}

void memory_write(unsigned socket, uint16_t pointer, const uint8_t *bytes, size_t count) {
    size_t offset = pointer & (memory_bytes(socket) - 1u), first = memory_bytes(socket) - offset;
    first = count < first ? count : first;
    bus_write(TX_MEMORY(socket) + base(socket) + offset, bytes, first);
    if (count > first) {
        bus_write(TX_MEMORY(socket) + base(socket), bytes + first, count - first);
    }
}

void memory_write_filled(unsigned socket, uint16_t pointer, const uint8_t *bytes, size_t count, size_t zeros) {
    static const uint8_t none[64];
    size_t offset = pointer & (memory_bytes(socket) - 1u);
    if (offset + count + zeros <= memory_bytes(socket)) {
        bus_write_filled(TX_MEMORY(socket) + base(socket) + offset, bytes, count, zeros);
    } else {
        memory_write(socket, pointer, bytes, count);
        memory_write(socket, (uint16_t)(pointer + count), none, zeros);
    }
}
#endif

/* Where a socket's pointer lies in the chip. The W5500 wraps by itself; in the flat address space of the others a burst that
 * reaches a memory's end goes on in the next socket's, so that it is cut in two there. */
#include "memory.h"

#include <stdbool.h>

#include "bus.h"
#include "chip.h"
#include "sockets.h"

static uint8_t memory_kib[CHIP_SOCKETS];

size_t memory_bytes(unsigned socket) { return memory_kib[socket] * 1024u; }

static bool is_possible(const uint8_t *kib) {
    unsigned sum = 0;
    for (unsigned socket = 0; socket < CHIP_SOCKETS; socket++) {
        if (kib[socket] & (kib[socket] - 1u)) {
            return false;
        }
        sum += kib[socket];
    }
    return sum <= CHIP_MEMORY_KIB;
}

bool sockets_set_memory(const uint8_t *kib) {
    if (!is_possible(kib)) {
        return false;
    }
#ifdef RMSR
    uint8_t sizes = 0;
    for (unsigned socket = 0; socket < CHIP_SOCKETS; socket++) {
        static const uint8_t code[9] = {0, 0, 1, 0, 2, 0, 0, 0, 3};
        if (!kib[socket] || kib[socket] > 8) {
            return false;
        }
        sizes |= (uint8_t)(code[kib[socket]] << 2 * socket);
    }
    bus_write8(RMSR, sizes);
    bus_write8(TMSR, sizes);
#endif
    /* From the last to the first, so that the sizes never add up to more than there is where the first has most. */
    for (unsigned socket = CHIP_SOCKETS; socket-- > 0;) {
        memory_kib[socket] = kib[socket];
#ifndef RMSR
        bus_write8(Sn_RXBUF_SIZE(socket), kib[socket]);
        bus_write8(Sn_TXBUF_SIZE(socket), kib[socket]);
#endif
    }
    return true;
}

#if CHIP_MEMORY_WRAPS
void memory_read(unsigned socket, uint16_t pointer, uint8_t *bytes, size_t count) {
    bus_read(RX_MEMORY(socket) | pointer, bytes, count);
}

void memory_write(unsigned socket, uint16_t pointer, const uint8_t *bytes, size_t count) {
    bus_write(TX_MEMORY(socket) | pointer, bytes, count);
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
#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Where a socket's pointer lies in the chip. The W5500 wraps by itself; in the flat address space of the others a burst
 * that reaches a memory's end goes on in the next socket's, so that it is cut in two there. */
#include "wiznet_memory.h"

#include "wiznet_bus.h"
#include "wiznet_registers.h"
#include "wiznet_sockets.h"

size_t wiznet_memory_bytes(const struct wiznet *wiznet, unsigned socket) { return wiznet->memory_kib[socket] * 1024u; }

/* RMSR and TMSR have two bits for each socket, which cannot say that it has none. */
static inline unsigned least_kib(const struct wiznet *wiznet) { return WIZNET_CHIP(wiznet)->memory_sizes ? 1u : 0; }

static unsigned kib_of(const struct wiznet *wiznet, unsigned socket) {
    return socket < WIZNET_MOST_SOCKETS ? wiznet->memory_kib[socket] : least_kib(wiznet);
}

/* The socket whose memory is written last is the first, which may have most: so the sizes never add up to more than
 * there is. */
static void write_sizes(struct wiznet *wiznet) {
    const struct wiznet_chip *chip = WIZNET_CHIP(wiznet);
    if (chip->memory_sizes) {
        static const uint8_t code[9] = {[1] = 0, [2] = 1, [4] = 2, [8] = 3};
        uint8_t sizes = 0;
        for (unsigned socket = 0; socket < chip->sockets; socket++) {
            sizes |= (uint8_t)(code[kib_of(wiznet, socket)] << 2 * socket);
        }
        wiznet_bus_write8(wiznet, chip->memory_sizes, sizes);
        wiznet_bus_write8(wiznet, chip->memory_sizes + 1u, sizes);
        return;
    }
    for (unsigned socket = chip->sockets; socket-- > 0;) {
        wiznet_sn_write8(wiznet, socket, Sn_RXBUF_SIZE, (uint8_t)kib_of(wiznet, socket));
        wiznet_sn_write8(wiznet, socket, Sn_TXBUF_SIZE, (uint8_t)kib_of(wiznet, socket));
    }
}

void wiznet_share_memory(struct wiznet *wiznet, unsigned used) {
    unsigned each = WIZNET_CHIP(wiznet)->memory_kib, others = WIZNET_CHIP(wiznet)->sockets - used;
    WIZNET_ASSERT(used >= 1 && used <= wiznet_socket_count(wiznet));
    while (each > 1 && each * used + least_kib(wiznet) * others > WIZNET_CHIP(wiznet)->memory_kib) {
        each /= 2;
    }
    for (unsigned socket = 0; socket < WIZNET_MOST_SOCKETS; socket++) {
        wiznet->memory_kib[socket] = (uint8_t)(socket < used ? each : least_kib(wiznet));
    }
    write_sizes(wiznet);
}

/* In the flat address space: where a socket's memory begins in that of all. */
static uint32_t base(const struct wiznet *wiznet, unsigned socket) {
    uint32_t bytes = 0;
    for (unsigned before = 0; before < socket; before++) {
        bytes += wiznet_memory_bytes(wiznet, before);
    }
    return bytes;
}

static inline uint32_t rx_memory(const struct wiznet *wiznet, unsigned socket) {
    return WIZNET_CHIP(wiznet)->rx_memory + WIZNET_CHIP(wiznet)->memory_step * socket;
}

static inline uint32_t tx_memory(const struct wiznet *wiznet, unsigned socket) {
    return WIZNET_CHIP(wiznet)->tx_memory + WIZNET_CHIP(wiznet)->memory_step * socket;
}

void wiznet_memory_read(struct wiznet *wiznet, unsigned socket, uint16_t pointer, uint8_t *bytes, size_t count) {
    if (WIZNET_CHIP(wiznet)->memory_wraps) {
        wiznet_bus_read(wiznet, rx_memory(wiznet, socket) | pointer, bytes, count);
        return;
    }
    size_t offset = pointer & (wiznet_memory_bytes(wiznet, socket) - 1u);
    size_t first = wiznet_memory_bytes(wiznet, socket) - offset;
    first = count < first ? count : first;
    wiznet_bus_read(wiznet, rx_memory(wiznet, socket) + base(wiznet, socket) + offset, bytes, first);
    if (count > first) {
        wiznet_bus_read(wiznet, rx_memory(wiznet, socket) + base(wiznet, socket), bytes + first, count - first);
    }
}

void wiznet_memory_write(struct wiznet *wiznet, unsigned socket, uint16_t pointer, const uint8_t *bytes, size_t count) {
    if (WIZNET_CHIP(wiznet)->memory_wraps) {
        wiznet_bus_write(wiznet, tx_memory(wiznet, socket) | pointer, bytes, count);
        return;
    }
    size_t offset = pointer & (wiznet_memory_bytes(wiznet, socket) - 1u);
    size_t first = wiznet_memory_bytes(wiznet, socket) - offset;
    first = count < first ? count : first;
    wiznet_bus_write(wiznet, tx_memory(wiznet, socket) + base(wiznet, socket) + offset, bytes, first);
    if (count > first) {
        wiznet_bus_write(wiznet, tx_memory(wiznet, socket) + base(wiznet, socket), bytes + first, count - first);
    }
}

void wiznet_memory_write_filled(struct wiznet *wiznet, unsigned socket, uint16_t pointer, const uint8_t *bytes,
                                size_t count, size_t zeros) {
    static const uint8_t none[64];
    if (WIZNET_CHIP(wiznet)->memory_wraps) {
        wiznet_bus_write_filled(wiznet, tx_memory(wiznet, socket) | pointer, bytes, count, zeros);
        return;
    }
    size_t offset = pointer & (wiznet_memory_bytes(wiznet, socket) - 1u);
    if (offset + count + zeros <= wiznet_memory_bytes(wiznet, socket)) {
        wiznet_bus_write_filled(wiznet, tx_memory(wiznet, socket) + base(wiznet, socket) + offset, bytes, count, zeros);
    } else {
        wiznet_memory_write(wiznet, socket, pointer, bytes, count);
        wiznet_memory_write(wiznet, socket, (uint16_t)(pointer + count), none, zeros);
    }
}

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Hardware sockets: commands, pointers, memories. */
#include "wiznet_sockets.h"

#include <string.h>

#include "wiznet_bus.h"
#include "wiznet_command.h"
#include "wiznet_memory.h"
#include "wiznet_registers.h"

_Static_assert(WIZNET_SOCKET_CONNECTED == IR_CON && WIZNET_SOCKET_DISCONNECTED == IR_DISCON &&
                   WIZNET_SOCKET_RECEIVED == IR_RECV && WIZNET_SOCKET_TIMED_OUT == IR_TIMEOUT &&
                   WIZNET_SOCKET_SENT == IR_SENDOK,
               "events are the bits of Sn_IR");

unsigned wiznet_socket_count(const struct wiznet *wiznet) {
    (void)wiznet; /* where the chip is known to the compiler */
    return WIZNET_CHIP(wiznet)->sockets < WIZNET_MOST_SOCKETS ? WIZNET_CHIP(wiznet)->sockets : WIZNET_MOST_SOCKETS;
}

static bool open(struct wiznet *wiznet, unsigned socket, uint8_t mode, uint16_t port, uint8_t state) {
    WIZNET_ASSERT(socket < wiznet_socket_count(wiznet));
    wiznet_command(wiznet, socket, CR_CLOSE);
    wiznet_sn_write8(wiznet, socket, Sn_IRCLR, IR_ALL);
    wiznet_sn_write8(wiznet, socket, Sn_MR, mode);
    wiznet_sn_write16(wiznet, socket, Sn_PORT, port);
    if (!wiznet_command(wiznet, socket, CR_OPEN) || wiznet_sn_read8(wiznet, socket, Sn_SR) != state) {
        return false;
    }
    memset(&wiznet->sockets[socket], 0, sizeof wiznet->sockets[socket]);
    return true;
}

/* TCP begins its pointers anew with the connection; they are read once, then kept. */
static void take_pointers(struct wiznet *wiznet, unsigned socket) {
    wiznet->sockets[socket].write = wiznet_sn_read16(wiznet, socket, Sn_TX_WR);
    wiznet->sockets[socket].read = wiznet_sn_read16(wiznet, socket, Sn_RX_RD);
}

bool wiznet_socket_listen(struct wiznet *wiznet, unsigned socket, uint16_t port) {
    return open(wiznet, socket, MR_TCP | MR_NO_DELAYED_ACK, port, SR_INIT) && wiznet_command(wiznet, socket, CR_LISTEN);
}

bool wiznet_socket_connect(struct wiznet *wiznet, unsigned socket, uint16_t own_port, uint32_t address, uint16_t port) {
    if (!open(wiznet, socket, MR_TCP | MR_NO_DELAYED_ACK, own_port, SR_INIT)) {
        return false;
    }
    wiznet_socket_set_peer(wiznet, socket, address, port);
    return wiznet_command(wiznet, socket, CR_CONNECT);
}

bool wiznet_socket_open_udp(struct wiznet *wiznet, unsigned socket, uint16_t port) {
    if (!open(wiznet, socket, MR_UDP, port, SR_UDP)) {
        return false;
    }
    take_pointers(wiznet, socket);
    return true;
}

static enum wiznet_socket_state state_of(uint8_t sr) {
    switch (sr) {
    case SR_CLOSED:
        return WIZNET_SOCKET_CLOSED;
    case SR_LISTEN:
        return WIZNET_SOCKET_LISTENING;
    case SR_ESTABLISHED:
    case SR_UDP:
        return WIZNET_SOCKET_OPEN;
    case SR_CLOSE_WAIT:
        return WIZNET_SOCKET_ENDED_BY_PEER;
    case SR_INIT:
    case SR_ARP:
    case SR_SYNSENT:
    case SR_SYNRECV:
        return WIZNET_SOCKET_OPENING;
    default:
        return WIZNET_SOCKET_CLOSING;
    }
}

enum wiznet_socket_state wiznet_socket_state(struct wiznet *wiznet, unsigned socket) {
    return state_of(wiznet_sn_read8(wiznet, socket, Sn_SR));
}

uint8_t wiznet_socket_take_events(struct wiznet *wiznet, unsigned socket, enum wiznet_socket_state *state) {
    uint8_t registers[2];
    if (WIZNET_CHIP(wiznet)->socket.Sn_SR == WIZNET_CHIP(wiznet)->socket.Sn_IR + 1) {
        wiznet_bus_read(wiznet, SN(wiznet, socket, Sn_IR), registers, 2);
    } else {
        registers[0] = wiznet_sn_read8(wiznet, socket, Sn_IR);
        registers[1] = wiznet_sn_read8(wiznet, socket, Sn_SR);
    }
    uint8_t events = registers[0] & IR_ALL;
    if (events) {
        wiznet_sn_write8(wiznet, socket, Sn_IRCLR, events);
    }
    if (events & WIZNET_SOCKET_CONNECTED) {
        take_pointers(wiznet, socket);
    }
    if (events & (WIZNET_SOCKET_SENT | WIZNET_SOCKET_TIMED_OUT)) {
        wiznet->sockets[socket].is_sending = false;
    }
    *state = state_of(registers[1]);
    return events;
}

void wiznet_socket_watch(struct wiznet *wiznet, unsigned socket, uint8_t events) {
    if (WIZNET_CHIP(wiznet)->has_socket_mask) { /* else all events do */
        wiznet_sn_write8(wiznet, socket, Sn_IMR, events);
    }
}

/* Between two RECV commands the register only grows. It is read upper byte first, so that a change in between makes the
 * reading too small, never too large. */
size_t wiznet_socket_received(struct wiznet *wiznet, unsigned socket) {
    size_t bytes = wiznet_sn_read16(wiznet, socket, Sn_RX_RSR);
    size_t most = wiznet_memory_bytes(wiznet, socket);
    bytes = bytes < most ? bytes : most;
    return bytes > wiznet->sockets[socket].unread ? bytes - wiznet->sockets[socket].unread : 0;
}

void wiznet_socket_read(struct wiznet *wiznet, unsigned socket, uint8_t *bytes, size_t count) {
    if (bytes) {
        wiznet_memory_read(wiznet, socket, wiznet->sockets[socket].read, bytes, count);
    }
    wiznet->sockets[socket].read = (uint16_t)(wiznet->sockets[socket].read + count);
    wiznet->sockets[socket].unread = (uint16_t)(wiznet->sockets[socket].unread + count);
}

void wiznet_socket_release(struct wiznet *wiznet, unsigned socket) {
    if (wiznet->sockets[socket].unread) {
        wiznet_sn_write16(wiznet, socket, Sn_RX_RD, wiznet->sockets[socket].read);
        wiznet_command(wiznet, socket, CR_RECV);
        wiznet->sockets[socket].unread = 0;
    }
}

/* Sn_TX_FSR grows between two SEND commands, and counts from the last of them. */
size_t wiznet_socket_room(struct wiznet *wiznet, unsigned socket, size_t wanted) {
    if (wiznet->sockets[socket].room < wanted) {
        size_t bytes = wiznet_sn_read16(wiznet, socket, Sn_TX_FSR), most = wiznet_memory_bytes(wiznet, socket);
        bytes = bytes < most ? bytes : most;
        wiznet->sockets[socket].room =
            (uint16_t)(bytes > wiznet->sockets[socket].unsent ? bytes - wiznet->sockets[socket].unsent : 0);
    }
    return wiznet->sockets[socket].room;
}

size_t wiznet_socket_write(struct wiznet *wiznet, unsigned socket, const uint8_t *bytes, size_t count) {
    if (count > wiznet->sockets[socket].room) {
        count = wiznet->sockets[socket].room;
    }
    wiznet_memory_write(wiznet, socket, wiznet->sockets[socket].write, bytes, count);
    wiznet->sockets[socket].write = (uint16_t)(wiznet->sockets[socket].write + count);
    wiznet->sockets[socket].unsent = (uint16_t)(wiznet->sockets[socket].unsent + count);
    wiznet->sockets[socket].room = (uint16_t)(wiznet->sockets[socket].room - count);
    return count;
}

bool wiznet_socket_send(struct wiznet *wiznet, unsigned socket) {
    if (!wiznet->sockets[socket].unsent) {
        return true;
    }
    if (wiznet->sockets[socket].is_sending) {
        return false;
    }
    wiznet_sn_write16(wiznet, socket, Sn_TX_WR, wiznet->sockets[socket].write);
    if (!wiznet_command(wiznet, socket, CR_SEND)) {
        return false;
    }
    wiznet->sockets[socket].unsent = 0;
    wiznet->sockets[socket].is_sending = true;
    return true;
}

bool wiznet_socket_is_sending(struct wiznet *wiznet, unsigned socket) { return wiznet->sockets[socket].is_sending; }

void wiznet_socket_set_peer(struct wiznet *wiznet, unsigned socket, uint32_t address, uint16_t port) {
    wiznet_bus_write(wiznet, SN(wiznet, socket, Sn_DIPR), (const uint8_t *)&address, 4);
    wiznet_sn_write16(wiznet, socket, Sn_DPORT, port);
}

void wiznet_socket_peer(struct wiznet *wiznet, unsigned socket, uint32_t *address, uint16_t *port) {
    wiznet_bus_read(wiznet, SN(wiznet, socket, Sn_DIPR), (uint8_t *)address, 4);
    *port = wiznet_sn_read16(wiznet, socket, Sn_DPORT);
}

void wiznet_socket_disconnect(struct wiznet *wiznet, unsigned socket) { wiznet_command(wiznet, socket, CR_DISCON); }

void wiznet_socket_close(struct wiznet *wiznet, unsigned socket) { wiznet_command(wiznet, socket, CR_CLOSE); }

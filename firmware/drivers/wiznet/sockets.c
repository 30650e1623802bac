/* Hardware sockets: commands, pointers, memories. */
#include "sockets.h"

#include <string.h>

#include "bus.h"
#include "chip.h"
#include "command.h"
#include "memory.h"

_Static_assert(SOCKET_CONNECTED == IR_CON && SOCKET_DISCONNECTED == IR_DISCON && SOCKET_RECEIVED == IR_RECV &&
                   SOCKET_TIMED_OUT == IR_TIMEOUT && SOCKET_SENT == IR_SENDOK,
               "events are the bits of Sn_IR");

static struct {
    uint16_t write, read;    /* where the next bytes go to and come from */
    uint16_t unsent, unread; /* written since SEND, read since RECV */
    uint16_t room;           /* so much is free at least */
    bool is_sending;         /* SENDOK has not come */
} sockets[CHIP_SOCKETS];

unsigned socket_count(void) { return CHIP_SOCKETS; }

static bool open(unsigned socket, uint8_t mode, uint16_t port, uint8_t state) {
    socket_command(socket, CR_CLOSE);
    bus_write8(Sn_IR(socket), IR_ALL);
    bus_write8(Sn_MR(socket), mode);
    bus_write16(Sn_PORT(socket), port);
    if (!socket_command(socket, CR_OPEN) || bus_read8(Sn_SR(socket)) != state) {
        return false;
    }
    memset(&sockets[socket], 0, sizeof sockets[socket]);
    return true;
}

/* TCP begins its pointers anew with the connection; they are read once, then kept. */
static void take_pointers(unsigned socket) {
    sockets[socket].write = bus_read16(Sn_TX_WR(socket));
    sockets[socket].read = bus_read16(Sn_RX_RD(socket));
}

bool socket_listen(unsigned socket, uint16_t port) {
    return open(socket, MR_TCP | MR_NO_DELAYED_ACK, port, SR_INIT) && socket_command(socket, CR_LISTEN);
}

bool socket_connect(unsigned socket, uint16_t own_port, uint32_t address, uint16_t port) {
    if (!open(socket, MR_TCP | MR_NO_DELAYED_ACK, own_port, SR_INIT)) {
        return false;
    }
    socket_set_peer(socket, address, port);
    return socket_command(socket, CR_CONNECT);
}

bool socket_open_udp(unsigned socket, uint16_t port) {
    if (!open(socket, MR_UDP, port, SR_UDP)) {
        return false;
    }
    take_pointers(socket);
    return true;
}

static enum socket_state state_of(uint8_t sr) {
    switch (sr) {
    case SR_CLOSED:
        return SOCKET_CLOSED;
    case SR_LISTEN:
        return SOCKET_LISTENING;
    case SR_ESTABLISHED:
    case SR_UDP:
        return SOCKET_OPEN;
    case SR_CLOSE_WAIT:
        return SOCKET_ENDED_BY_PEER;
    case SR_INIT:
    case SR_ARP:
    case SR_SYNSENT:
    case SR_SYNRECV:
        return SOCKET_OPENING;
    default:
        return SOCKET_CLOSING;
    }
}

enum socket_state socket_state(unsigned socket) { return state_of(bus_read8(Sn_SR(socket))); }

uint8_t socket_take_events(unsigned socket, enum socket_state *state) {
    uint8_t registers[2];
    bus_read(Sn_IR(socket), registers, 2);
    uint8_t events = registers[0] & IR_ALL;
    if (events) {
        bus_write8(Sn_IR(socket), events);
    }
    if (events & SOCKET_CONNECTED) {
        take_pointers(socket);
    }
    if (events & (SOCKET_SENT | SOCKET_TIMED_OUT)) {
        sockets[socket].is_sending = false;
    }
    *state = state_of(registers[1]);
    return events;
}

void socket_watch(unsigned socket, uint8_t events) {
#ifndef BOARD_WIZNET_W5100 /* has no Sn_IMR: all of them do */
    bus_write8(Sn_IMR(socket), events);
#else
    (void)socket;
    (void)events;
#endif
}

/* Between two RECV commands the register only grows. It is read upper byte first, so that a change in between makes the
 * reading too small, never too large. */
size_t socket_received(unsigned socket) {
    size_t bytes = bus_read16(Sn_RX_RSR(socket));
    size_t most = memory_bytes(socket);
    bytes = bytes < most ? bytes : most;
    return bytes > sockets[socket].unread ? bytes - sockets[socket].unread : 0;
}

void socket_read(unsigned socket, uint8_t *bytes, size_t count) {
    if (bytes) {
        memory_read(socket, sockets[socket].read, bytes, count);
    }
    sockets[socket].read = (uint16_t)(sockets[socket].read + count);
    sockets[socket].unread = (uint16_t)(sockets[socket].unread + count);
}

void socket_release(unsigned socket) {
    if (sockets[socket].unread) {
        bus_write16(Sn_RX_RD(socket), sockets[socket].read);
        socket_command(socket, CR_RECV);
        sockets[socket].unread = 0;
    }
}

/* Sn_TX_FSR grows between two SEND commands, and counts from the last of them. */
size_t socket_room(unsigned socket, size_t wanted) {
    if (sockets[socket].room < wanted) {
        size_t bytes = bus_read16(Sn_TX_FSR(socket)), most = memory_bytes(socket);
        bytes = bytes < most ? bytes : most;
        sockets[socket].room = (uint16_t)(bytes > sockets[socket].unsent ? bytes - sockets[socket].unsent : 0);
    }
    return sockets[socket].room;
}

size_t socket_write(unsigned socket, const uint8_t *bytes, size_t count) {
    if (count > sockets[socket].room) {
        count = sockets[socket].room;
    }
    memory_write(socket, sockets[socket].write, bytes, count);
    sockets[socket].write = (uint16_t)(sockets[socket].write + count);
    sockets[socket].unsent = (uint16_t)(sockets[socket].unsent + count);
    sockets[socket].room = (uint16_t)(sockets[socket].room - count);
    return count;
}

bool socket_send(unsigned socket) {
    if (!sockets[socket].unsent) {
        return true;
    }
    if (sockets[socket].is_sending) {
        return false;
    }
    bus_write16(Sn_TX_WR(socket), sockets[socket].write);
    if (!socket_command(socket, CR_SEND)) {
        return false;
    }
    sockets[socket].unsent = 0;
    sockets[socket].is_sending = true;
    return true;
}

bool socket_is_sending(unsigned socket) { return sockets[socket].is_sending; }

void socket_set_peer(unsigned socket, uint32_t address, uint16_t port) {
    bus_write(Sn_DIPR(socket), (const uint8_t *)&address, 4);
    bus_write16(Sn_DPORT(socket), port);
}

void socket_peer(unsigned socket, uint32_t *address, uint16_t *port) {
    bus_read(Sn_DIPR(socket), (uint8_t *)address, 4);
    *port = bus_read16(Sn_DPORT(socket));
}

void socket_disconnect(unsigned socket) { socket_command(socket, CR_DISCON); }

void socket_close(unsigned socket) { socket_command(socket, CR_CLOSE); }

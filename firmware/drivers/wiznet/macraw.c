/* MACRAW: in the receive memory each frame stands behind two bytes, its length with those two. */
#include "frames.h"

#include "bus.h"
#include "chip.h"
#include "command.h"
#include "memory.h"
#include "sockets.h"
#include "wiznet.h"

#define LENGTH_BYTES 2u
/* Of Ethernet: addresses and type, and the least frame without its check sequence. */
#define HEADER_BYTES 14u
#define LEAST_BYTES 60u
#define SIZE_LOOKS 4u
/* A frame of the largest size takes 123 us on the wire at 100 Mbit/s and ten times that at 10; so many looks at Sn_IR
 * take longer on any SPI. */
#define SEND_LOOKS 4096u

static uint16_t read_pointer, write_pointer;
static uint16_t left;    /* of the frame that is being read */
static uint16_t waiting; /* so many bytes stand in the receive memory at least */
static uint16_t written; /* of the frame that is being written */
static bool is_sending;
static uint32_t faults;

static bool open(void) {
    socket_command(0, CR_CLOSE);
    bus_write8(Sn_IR(0), IR_ALL);
    bus_write8(Sn_MR(0), MR_MACRAW | MACRAW_MAC_FILTER);
    if (!socket_command(0, CR_OPEN) || bus_read8(Sn_SR(0)) != SR_MACRAW) {
        return false;
    }
    read_pointer = bus_read16(Sn_RX_RD(0));
    write_pointer = bus_read16(Sn_TX_WR(0));
    left = waiting = written = 0;
    is_sending = false;
    return true;
}

bool frames_open(void) {
    sockets_share_memory(1);
    if (!open()) {
        return false;
    }
    socket_watch(0, SOCKET_RECEIVED);
    wiznet_watch_sockets(1);
    return true;
}

/* The W5100 has no Sn_IMR: there SENDOK holds the pin as well. */
void frames_acknowledge(void) {
#ifdef BOARD_WIZNET_W5100
    uint8_t interrupts = bus_read8(Sn_IR(0)) & IR_ALL;
    if (interrupts & IR_SENDOK) {
        is_sending = false;
    }
    bus_write8(Sn_IR(0), interrupts);
#else
    bus_write8(Sn_IR(0), IR_RECV);
#endif
}

static void fault(void) {
    faults++;
    open();
}

/* The register is read upper byte first: while a frame comes in the reading can be too small, never too large, and the
 * next one makes up for it. */
static void look_for(unsigned bytes) {
    for (unsigned look = 0; waiting < bytes && look < SIZE_LOOKS; look++) {
        waiting = bus_read16(Sn_RX_RSR(0));
        if (!waiting) {
            return;
        }
    }
}

size_t frames_next(void) {
    look_for(LENGTH_BYTES);
    if (!waiting) {
        return 0;
    }
    uint8_t length[LENGTH_BYTES];
    memory_read(0, read_pointer, length, LENGTH_BYTES);
    unsigned bytes = (unsigned)(length[0] << 8 | length[1]);
    look_for(bytes);
    if (waiting > memory_bytes(0) || bytes < LENGTH_BYTES + HEADER_BYTES || bytes > LENGTH_BYTES + FRAMES_MOST_BYTES ||
        bytes > waiting) {
        fault();
        return 0;
    }
    read_pointer = (uint16_t)(read_pointer + LENGTH_BYTES);
    waiting = (uint16_t)(waiting - bytes);
    left = (uint16_t)(bytes - LENGTH_BYTES);
    return left;
}

void frames_read(uint8_t *bytes, size_t count) {
    count = count < left ? count : left;
    memory_read(0, read_pointer, bytes, count);
    read_pointer = (uint16_t)(read_pointer + count);
    left = (uint16_t)(left - count);
}

void frames_finish(void) {
    read_pointer = (uint16_t)(read_pointer + left);
    left = 0;
    bus_write16(Sn_RX_RD(0), read_pointer);
    socket_command(0, CR_RECV);
}

bool frames_has_room(size_t bytes) { return bytes <= memory_bytes(0); }

/* The frame before must have left before the pointer moves on. */
static void wait_until_sent(void) {
    for (unsigned look = 0; is_sending && look < SEND_LOOKS; look++) {
        if (bus_read8(Sn_IR(0)) & IR_SENDOK) {
            bus_write8(Sn_IR(0), IR_SENDOK);
            is_sending = false;
        }
    }
    if (is_sending) {
        fault();
    }
}

void frames_write(const uint8_t *bytes, size_t count) {
    memory_write(0, write_pointer, bytes, count);
    write_pointer = (uint16_t)(write_pointer + count);
    written = (uint16_t)(written + count);
}

void frames_send(void) {
    static const uint8_t zeros[LEAST_BYTES];
    if (written < LEAST_BYTES) {
        frames_write(zeros, LEAST_BYTES - written);
    }
    wait_until_sent();
    bus_write16(Sn_TX_WR(0), write_pointer);
    is_sending = socket_command(0, CR_SEND);
    written = 0;
}

uint32_t frames_faults(void) { return faults; }

/* MACRAW: in the receive memory each frame stands behind two bytes, its length with those two. */
#include "frames.h"

#include <string.h>

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

/* So much of the receive memory may frames that were taken hold until frames_settle(): a sender's window may be as
 * large as the rest. */
#define HELD_MOST_BYTES 256u

static uint16_t read_pointer, write_pointer;
static uint16_t left;    /* of the frame that is being read */
static uint16_t waiting; /* so many bytes stand in the receive memory at least, without those that are held */
static uint16_t held;    /* of frames that were taken: the chip has not been told yet */
static uint16_t written; /* of the frame that is being written */
/* What was written while it is no more, two bytes off a word, as lwIP's frames are. */
static _Alignas(4) uint8_t short_frame_room[2 + LEAST_BYTES];
static uint8_t *const short_frame = short_frame_room + 2;
static bool is_sending;
static uint32_t faults;

/* Little that waits comes in one transaction, sizes and all: its first byte stands at ahead_pointer. */
static _Alignas(4) uint8_t ahead[128];
static uint16_t ahead_pointer, ahead_bytes;

static bool open(void) {
    socket_command(0, CR_CLOSE);
    bus_write8(Sn_IR(0), IR_ALL);
    bus_write8(Sn_MR(0), MR_MACRAW | MACRAW_MAC_FILTER);
    if (!socket_command(0, CR_OPEN) || bus_read8(Sn_SR(0)) != SR_MACRAW) {
        return false;
    }
    read_pointer = bus_read16(Sn_RX_RD(0));
    write_pointer = bus_read16(Sn_TX_WR(0));
    left = waiting = held = written = ahead_bytes = 0;
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
        uint16_t received = bus_read16(Sn_RX_RSR(0));
        waiting = received > held ? (uint16_t)(received - held) : 0;
        if (!waiting) {
            return;
        }
    }
}

static void take(uint8_t *bytes, size_t count) {
    uint16_t into = (uint16_t)(read_pointer - ahead_pointer);
    size_t there = into < ahead_bytes ? (size_t)(ahead_bytes - into) : 0;
    there = there < count ? there : count;
    if (there) {
        memcpy(bytes, ahead + into, there);
    }
    if (count > there) {
        memory_read(0, (uint16_t)(read_pointer + there), bytes + there, count - there);
    }
    read_pointer = (uint16_t)(read_pointer + count);
}

static unsigned take_length(void) {
    uint8_t read[LENGTH_BYTES];
    uint16_t into = (uint16_t)(read_pointer - ahead_pointer);
    const uint8_t *length = ahead + into;
    if (into + LENGTH_BYTES > ahead_bytes) {
        memory_read(0, read_pointer, read, LENGTH_BYTES);
        length = read;
    }
    read_pointer = (uint16_t)(read_pointer + LENGTH_BYTES);
    return (unsigned)(length[0] << 8 | length[1]);
}

static void take_ahead(void) {
    ahead_pointer = read_pointer;
    ahead_bytes = waiting;
    memory_read(0, read_pointer, ahead, ahead_bytes);
}

size_t frames_next(void) {
    if (!waiting) {
        look_for(LENGTH_BYTES);
        if (!waiting) {
            return 0;
        }
        if (waiting <= sizeof ahead) {
            take_ahead();
        }
    }
    unsigned bytes = take_length();
    if (bytes > waiting) {
        look_for(bytes);
    }
    if (waiting > memory_bytes(0) || bytes < LENGTH_BYTES + HEADER_BYTES || bytes > LENGTH_BYTES + FRAMES_MOST_BYTES ||
        bytes > waiting) {
        fault();
        return 0;
    }
    waiting = (uint16_t)(waiting - bytes);
    held = (uint16_t)(held + bytes);
    left = (uint16_t)(bytes - LENGTH_BYTES);
    return left;
}

bool frames_are_known(void) { return waiting; }

void frames_read(uint8_t *bytes, size_t count) {
    count = count < left ? count : left;
    take(bytes, count);
    left = (uint16_t)(left - count);
}

static void release(void) {
    bus_write16(Sn_RX_RD(0), read_pointer);
    socket_command(0, CR_RECV);
    held = 0;
}

void frames_finish(void) {
    read_pointer = (uint16_t)(read_pointer + left);
    left = 0;
    if (held > HELD_MOST_BYTES) {
        release();
    }
}

static void see_whether_sent(void) {
    if (bus_read8(Sn_IR(0)) & IR_SENDOK) {
        bus_write8(Sn_IR(0), IR_SENDOK);
        is_sending = false;
    }
}

void frames_settle(void) {
    if (held) {
        release();
    }
    if (is_sending) {
        see_whether_sent();
    }
}

bool frames_has_room(size_t bytes) { return bytes <= memory_bytes(0); }

/* The frame before must have left before the pointer moves on. */
static void wait_until_sent(void) {
    for (unsigned look = 0; is_sending && look < SEND_LOOKS; look++) {
        see_whether_sent();
    }
    if (is_sending) {
        fault();
    }
}

static void put(const uint8_t *bytes, size_t count) {
    memory_write(0, write_pointer, bytes, count);
    write_pointer = (uint16_t)(write_pointer + count);
}

void frames_write(const uint8_t *bytes, size_t count) {
    if (written + count < LEAST_BYTES) {
        memcpy(short_frame + written, bytes, count);
    } else {
        if (written && written < LEAST_BYTES) {
            put(short_frame, written);
        }
        put(bytes, count);
    }
    written = (uint16_t)(written + count);
}

void frames_send(void) {
    if (written < LEAST_BYTES) {
        for (size_t at = written; at < LEAST_BYTES; at++) {
            short_frame[at] = 0;
        }
        put(short_frame, LEAST_BYTES);
    }
    wait_until_sent();
    bus_write16(Sn_TX_WR(0), write_pointer);
    is_sending = socket_command(0, CR_SEND);
    written = 0;
}

uint32_t frames_faults(void) { return faults; }

/* MACRAW: in the receive memory each frame stands behind two bytes, its length with those two. */
#include "frames.h"

#include "bus.h"
#include "chip.h"
#include "command.h"
#include "memory.h"
#include "sockets.h"
#include "wiznet.h"

#define LENGTH_BYTES FRAMES_AHEAD_BYTES
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
static bool is_sending;
static uint32_t faults;

/* So little waits that it must be one frame: its size is taken for granted until the first bytes are read. */
static bool is_guessed, is_doubtful;

static bool open(void) {
    socket_command(0, CR_CLOSE);
    bus_write8(Sn_IR(0), IR_ALL);
    bus_write8(Sn_MR(0), MR_MACRAW | MACRAW_MAC_FILTER);
    if (!socket_command(0, CR_OPEN) || bus_read8(Sn_SR(0)) != SR_MACRAW) {
        return false;
    }
    read_pointer = bus_read16(Sn_RX_RD(0));
    write_pointer = bus_read16(Sn_TX_WR(0));
    left = waiting = held = written = 0;
    is_guessed = is_doubtful = false;
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

static bool begin_frame(const uint8_t length[LENGTH_BYTES]) {
    unsigned bytes = (unsigned)(length[0] << 8 | length[1]);
    if (bytes > waiting) {
        look_for(bytes);
    }
    if (waiting > memory_bytes(0) || bytes < LENGTH_BYTES + HEADER_BYTES || bytes > LENGTH_BYTES + FRAMES_MOST_BYTES ||
        bytes > waiting) {
        fault();
        return false;
    }
    read_pointer = (uint16_t)(read_pointer + LENGTH_BYTES);
    waiting = (uint16_t)(waiting - bytes);
    held = (uint16_t)(held + bytes);
    left = (uint16_t)(bytes - LENGTH_BYTES);
    return true;
}

static bool read_length(void) {
    uint8_t length[LENGTH_BYTES];
    is_guessed = is_doubtful = false;
    memory_read(0, read_pointer, length, LENGTH_BYTES);
    return begin_frame(length);
}

size_t frames_next(void) {
    look_for(1);
    if (!waiting) {
        return 0;
    }
    is_guessed = !is_doubtful && waiting >= LENGTH_BYTES + LEAST_BYTES && waiting < 2u * (LENGTH_BYTES + LEAST_BYTES);
    if (is_guessed) {
        left = (uint16_t)(waiting - LENGTH_BYTES);
        return left;
    }
    return read_length() ? left : 0;
}

bool frames_are_known(void) { return waiting; }

/* The size, and behind it so many of the frame's bytes in the same transaction. */
static bool read_guessed(uint8_t *length, size_t count) {
    uint16_t guessed = left;
    memory_read(0, read_pointer, length, LENGTH_BYTES + count);
    is_guessed = false;
    is_doubtful = (unsigned)(length[0] << 8 | length[1]) != LENGTH_BYTES + guessed;
    left = 0;
    return !is_doubtful && begin_frame(length);
}

bool frames_read(uint8_t *buffer, size_t headroom, size_t count) {
    uint8_t *bytes = buffer + headroom;
    count = count < left ? count : left;
    if (is_guessed && headroom >= LENGTH_BYTES) {
        if (!read_guessed(bytes - LENGTH_BYTES, count)) {
            return false;
        }
    } else {
        uint8_t length[LENGTH_BYTES];
        if (is_guessed && !read_guessed(length, 0)) {
            return false;
        }
        memory_read(0, read_pointer, bytes, count);
    }
    read_pointer = (uint16_t)(read_pointer + count);
    left = (uint16_t)(left - count);
    return true;
}

static void release(void) {
    bus_write16(Sn_RX_RD(0), read_pointer);
    socket_command(0, CR_RECV);
    held = 0;
}

void frames_finish(void) {
    if (is_guessed && !read_length()) {
        return;
    }
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
static bool has_left(void) {
    for (unsigned look = 0; is_sending && look < SEND_LOOKS; look++) {
        see_whether_sent();
    }
    return !is_sending;
}

static void write_filled(const uint8_t *bytes, size_t count, size_t zeros) {
    memory_write_filled(0, write_pointer, bytes, count, zeros);
    write_pointer = (uint16_t)(write_pointer + count + zeros);
}

void frames_write(const uint8_t *bytes, size_t count, bool is_last) {
    written = (uint16_t)(written + count);
    write_filled(bytes, count, is_last && written < LEAST_BYTES ? LEAST_BYTES - written : 0);
}

bool frames_send(void) {
    if (has_left()) {
        bus_write16(Sn_TX_WR(0), write_pointer);
        is_sending = socket_command(0, CR_SEND);
        written = 0;
        if (is_sending) {
            return true;
        }
    }
    fault();
    return false;
}

uint32_t frames_faults(void) { return faults; }

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* MACRAW: in the receive memory each frame stands behind two bytes, its length with those two. */
#include "wiznet_frames.h"

#include "wiznet_bus.h"
#include "wiznet_command.h"
#include "wiznet_memory.h"
#include "wiznet_registers.h"
#include "wiznet_sockets.h"

#define LENGTH_BYTES WIZNET_FRAMES_AHEAD_BYTES
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

static bool open(struct wiznet *wiznet) {
    struct wiznet_frames *frames = &wiznet->frames;
    wiznet_command(wiznet, 0, CR_CLOSE);
    wiznet_sn_write8(wiznet, 0, Sn_IRCLR, IR_ALL);
    wiznet_sn_write8(wiznet, 0, Sn_MR, WIZNET_CHIP(wiznet)->macraw);
    if (!wiznet_command(wiznet, 0, CR_OPEN) || wiznet_sn_read8(wiznet, 0, Sn_SR) != SR_MACRAW) {
        return false;
    }
    frames->read_pointer = wiznet_sn_read16(wiznet, 0, Sn_RX_RD);
    frames->write_pointer = wiznet_sn_read16(wiznet, 0, Sn_TX_WR);
    frames->left = frames->waiting = frames->held = frames->written = 0;
    frames->is_guessed = frames->is_doubtful = false;
    frames->is_sending = false;
    return true;
}

bool wiznet_frames_open(struct wiznet *wiznet) {
    wiznet->frames = (struct wiznet_frames){0}; /* there may have been sockets in its place */
    wiznet_share_memory(wiznet, 1);
    if (!open(wiznet)) {
        return false;
    }
    wiznet_socket_watch(wiznet, 0, WIZNET_SOCKET_RECEIVED);
    wiznet_watch_sockets(wiznet, 1);
    return true;
}

/* A chip without Sn_IMR holds the pin for SENDOK as well. */
void wiznet_frames_acknowledge(struct wiznet *wiznet) {
    if (WIZNET_CHIP(wiznet)->has_socket_mask) {
        wiznet_sn_write8(wiznet, 0, Sn_IRCLR, IR_RECV);
        return;
    }
    uint8_t interrupts = wiznet_sn_read8(wiznet, 0, Sn_IR) & IR_ALL;
    if (interrupts & IR_SENDOK) {
        wiznet->frames.is_sending = false;
    }
    wiznet_sn_write8(wiznet, 0, Sn_IRCLR, interrupts);
}

static void fault(struct wiznet *wiznet) {
    wiznet->frame_faults++;
    open(wiznet);
}

/* The register is read upper byte first: while a frame comes in the reading can be too small, never too large, and the
 * next one makes up for it. */
static void look_for(struct wiznet *wiznet, unsigned bytes) {
    struct wiznet_frames *frames = &wiznet->frames;
    for (unsigned look = 0; frames->waiting < bytes && look < SIZE_LOOKS; look++) {
        uint16_t received = wiznet_sn_read16(wiznet, 0, Sn_RX_RSR);
        frames->waiting = received > frames->held ? (uint16_t)(received - frames->held) : 0;
        if (!frames->waiting) {
            return;
        }
    }
}

static bool begin_frame(struct wiznet *wiznet, const uint8_t length[LENGTH_BYTES]) {
    struct wiznet_frames *frames = &wiznet->frames;
    unsigned bytes = (unsigned)length[0] << 8 | length[1];
    if (bytes > frames->waiting) {
        look_for(wiznet, bytes);
    }
    if (frames->waiting > wiznet_memory_bytes(wiznet, 0) || bytes < LENGTH_BYTES + HEADER_BYTES ||
        bytes > LENGTH_BYTES + WIZNET_FRAMES_MOST_BYTES || bytes > frames->waiting) {
        fault(wiznet);
        return false;
    }
    frames->read_pointer = (uint16_t)(frames->read_pointer + LENGTH_BYTES);
    frames->waiting = (uint16_t)(frames->waiting - bytes);
    frames->held = (uint16_t)(frames->held + bytes);
    frames->left = (uint16_t)(bytes - LENGTH_BYTES);
    return true;
}

static bool read_length(struct wiznet *wiznet) {
    uint8_t length[LENGTH_BYTES];
    wiznet->frames.is_guessed = wiznet->frames.is_doubtful = false;
    wiznet_memory_read(wiznet, 0, wiznet->frames.read_pointer, length, LENGTH_BYTES);
    return begin_frame(wiznet, length);
}

size_t wiznet_frames_next(struct wiznet *wiznet) {
    struct wiznet_frames *frames = &wiznet->frames;
    look_for(wiznet, 1);
    if (!frames->waiting) {
        return 0;
    }
    frames->is_guessed = !frames->is_doubtful && frames->waiting >= LENGTH_BYTES + LEAST_BYTES &&
                         frames->waiting < 2u * (LENGTH_BYTES + LEAST_BYTES);
    if (frames->is_guessed) {
        frames->left = (uint16_t)(frames->waiting - LENGTH_BYTES);
        return frames->left;
    }
    return read_length(wiznet) ? frames->left : 0;
}

bool wiznet_frames_are_known(const struct wiznet *wiznet) { return wiznet->frames.waiting; }

/* The size, and behind it so many of the frame's bytes in the same transaction. */
static bool read_guessed(struct wiznet *wiznet, uint8_t *length, size_t count) {
    struct wiznet_frames *frames = &wiznet->frames;
    uint16_t guessed = frames->left;
    wiznet_memory_read(wiznet, 0, frames->read_pointer, length, LENGTH_BYTES + count);
    frames->is_guessed = false;
    frames->is_doubtful = ((unsigned)length[0] << 8 | length[1]) != LENGTH_BYTES + guessed;
    frames->left = 0;
    return !frames->is_doubtful && begin_frame(wiznet, length);
}

bool wiznet_frames_read(struct wiznet *wiznet, uint8_t *buffer, size_t headroom, size_t count) {
    struct wiznet_frames *frames = &wiznet->frames;
    uint8_t *bytes = buffer + headroom;
    count = count < frames->left ? count : frames->left;
    if (frames->is_guessed) {
        uint8_t own[LENGTH_BYTES];
        bool has_headroom = headroom >= LENGTH_BYTES;
        if (!read_guessed(wiznet, has_headroom ? bytes - LENGTH_BYTES : own, has_headroom ? count : 0)) {
            return false;
        }
        bytes = has_headroom ? NULL : bytes;
    }
    if (bytes) {
        wiznet_memory_read(wiznet, 0, frames->read_pointer, bytes, count);
    }
    frames->read_pointer = (uint16_t)(frames->read_pointer + count);
    frames->left = (uint16_t)(frames->left - count);
    return true;
}

static void release(struct wiznet *wiznet) {
    wiznet_sn_write16(wiznet, 0, Sn_RX_RD, wiznet->frames.read_pointer);
    wiznet_command(wiznet, 0, CR_RECV);
    wiznet->frames.held = 0;
}

void wiznet_frames_finish(struct wiznet *wiznet) {
    struct wiznet_frames *frames = &wiznet->frames;
    if (frames->is_guessed && !read_length(wiznet)) {
        return;
    }
    frames->read_pointer = (uint16_t)(frames->read_pointer + frames->left);
    frames->left = 0;
    if (frames->held > HELD_MOST_BYTES) {
        release(wiznet);
    }
}

static void see_whether_sent(struct wiznet *wiznet) {
    if (wiznet_sn_read8(wiznet, 0, Sn_IR) & IR_SENDOK) {
        wiznet_sn_write8(wiznet, 0, Sn_IRCLR, IR_SENDOK);
        wiznet->frames.is_sending = false;
    }
}

void wiznet_frames_settle(struct wiznet *wiznet) {
    if (wiznet->frames.held) {
        release(wiznet);
    }
    if (wiznet->frames.is_sending) {
        see_whether_sent(wiznet);
    }
}

bool wiznet_frames_has_room(const struct wiznet *wiznet, size_t bytes) {
    return bytes <= wiznet_memory_bytes(wiznet, 0);
}

/* The frame before must have left before the pointer moves on. */
static bool has_left(struct wiznet *wiznet) {
    for (unsigned look = 0; wiznet->frames.is_sending && look < SEND_LOOKS; look++) {
        see_whether_sent(wiznet);
    }
    return !wiznet->frames.is_sending;
}

static void write_filled(struct wiznet *wiznet, const uint8_t *bytes, size_t count, size_t zeros) {
    wiznet_memory_write_filled(wiznet, 0, wiznet->frames.write_pointer, bytes, count, zeros);
    wiznet->frames.write_pointer = (uint16_t)(wiznet->frames.write_pointer + count + zeros);
}

void wiznet_frames_write(struct wiznet *wiznet, const uint8_t *bytes, size_t count, bool is_last) {
    struct wiznet_frames *frames = &wiznet->frames;
    frames->written = (uint16_t)(frames->written + count);
    write_filled(wiznet, bytes, count, is_last && frames->written < LEAST_BYTES ? LEAST_BYTES - frames->written : 0);
}

bool wiznet_frames_send(struct wiznet *wiznet) {
    struct wiznet_frames *frames = &wiznet->frames;
    if (has_left(wiznet)) {
        wiznet_sn_write16(wiznet, 0, Sn_TX_WR, frames->write_pointer);
        frames->is_sending = wiznet_command(wiznet, 0, CR_SEND);
        frames->written = 0;
        if (frames->is_sending) {
            return true;
        }
    }
    fault(wiznet);
    return false;
}

uint32_t wiznet_frames_faults(const struct wiznet *wiznet) { return wiznet->frame_faults; }

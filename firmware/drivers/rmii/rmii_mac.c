/* Implementation of rmii_mac.h. An interrupt notes where each frame ended; all else is done by whoever asks for frames.
 * A receive ring that is full goes on from its beginning: frames that this overwrote are dropped, by their notes, or by
 * their check sequence where the frame that overwrites them has not ended. */
#include "rmii_mac.h"

#include <string.h>

#include "interrupt.h"
#include "rmii.h"

#define NOTES 32u
#define SHORTEST_BYTES 64u
#define LONGEST_BYTES 1522u
#define CHECK_BYTES 4u
#define FILLED_BYTES 60u
#define WORD 4u

/* A frame in a ring. Bytes are counted from the start of all on: the rest by the ring's size is a place. */
struct note {
    uint32_t begin, bytes;
};

/* The handler writes behind `newest`, the reader from `oldest` on. */
static struct {
    struct note notes[NOTES];
    volatile uint32_t newest, bytes;
    uint32_t oldest, taken;
    uint8_t own[6];
    void (*wake)(void);
} in;

/* The writer writes behind `newest`, the handler goes on from `oldest`. */
static struct {
    struct note notes[NOTES];
    volatile uint32_t oldest, newest, left_bytes;
    uint32_t bytes, written;
} out;

static struct rmii_mac_counts counts;

static void RMII_FAST frame_ended(uint32_t place) {
    struct note note = {in.bytes, (place - in.bytes) & RMII_RING_MASK};
    in.bytes += note.bytes;
    if (note.bytes < SHORTEST_BYTES || note.bytes > LONGEST_BYTES) {
        counts.wrong_size += note.bytes != 0;
        return;
    }
    if (in.newest - in.oldest == NOTES) {
        counts.overrun++;
        return;
    }
    in.notes[in.newest % NOTES] = note;
    in.newest++;
    if (in.wake) {
        in.wake();
    }
}

static void RMII_FAST send_oldest(void) {
    const struct note *note = &out.notes[out.oldest % NOTES];
    rmii_send(note->begin & RMII_RING_MASK, note->bytes);
}

static uint32_t RMII_FAST room_of(size_t bytes) {
    return (uint32_t)((WORD + bytes + WORD - 1u) & ~(size_t)(WORD - 1u));
}

static void RMII_FAST frame_left(void) {
    out.left_bytes += room_of(out.notes[out.oldest % NOTES].bytes);
    out.oldest++;
    if (out.oldest != out.newest) {
        send_oldest();
    }
}

void rmii_mac_start(const uint8_t own[6], void (*wake)(void)) {
    memset(&in, 0, sizeof in);
    memset(&out, 0, sizeof out);
    memset(&counts, 0, sizeof counts);
    memcpy(in.own, own, sizeof in.own);
    in.wake = wake;
    rmii_start(frame_ended, frame_left);
}

const struct rmii_mac_counts *rmii_mac_counts(void) { return &counts; }

bool RMII_FAST rmii_mac_has_frame(void) { return in.newest != in.oldest; }

static bool RMII_FAST is_meant(uint32_t begin) {
    if (rmii_peek(begin & RMII_RING_MASK) & 1u) {
        return true;
    }
    for (uint32_t n = 0; n < sizeof in.own; n++) {
        if (rmii_peek((begin + n) & RMII_RING_MASK) != in.own[n]) {
            return false;
        }
    }
    return true;
}

size_t RMII_FAST rmii_mac_next(void) {
    for (; rmii_mac_has_frame(); in.oldest++) {
        const struct note *note = &in.notes[in.oldest % NOTES];
        if (in.bytes - note->begin > RMII_RING_BYTES) {
            counts.overrun++;
        } else if (is_meant(note->begin)) {
            in.taken = 0;
            rmii_crc_begin();
            return note->bytes - CHECK_BYTES;
        }
    }
    return 0;
}

bool RMII_FAST rmii_mac_read(uint8_t *bytes, size_t count) {
    const struct note *note = &in.notes[in.oldest % NOTES];
    size_t left = note->bytes - CHECK_BYTES - in.taken;
    count = count < left ? count : left;
    rmii_take(bytes, (note->begin + in.taken) & RMII_RING_MASK, count);
    in.taken += (uint32_t)count;
    if (count != left) {
        return true;
    }
    uint8_t sequence[CHECK_BYTES];
    rmii_take(sequence, (note->begin + in.taken) & RMII_RING_MASK, sizeof sequence);
    bool is_right = rmii_crc() == RMII_CRC_RIGHT;
    counts.received += is_right;
    counts.damaged += !is_right;
    return is_right;
}

void RMII_FAST rmii_mac_finish(void) { in.oldest += rmii_mac_has_frame(); }

bool RMII_FAST rmii_mac_has_room(size_t bytes) {
    bytes = bytes < FILLED_BYTES ? FILLED_BYTES : bytes;
    uint32_t waiting = out.bytes - out.left_bytes;
    return out.newest - out.oldest < NOTES && room_of(bytes + CHECK_BYTES) <= RMII_RING_BYTES - waiting;
}

void RMII_FAST rmii_mac_write(const uint8_t *bytes, size_t count) {
    if (!out.written) {
        rmii_crc_begin();
    }
    rmii_put((out.bytes + WORD + out.written) & RMII_RING_MASK, bytes, count);
    out.written += (uint32_t)count;
}

static void RMII_FAST close_frame(void) {
    static const uint8_t zeros[FILLED_BYTES];
    if (out.written < FILLED_BYTES) {
        rmii_mac_write(zeros, FILLED_BYTES - out.written);
    }
    uint32_t sequence = ~rmii_crc();
    for (unsigned n = 0; n < CHECK_BYTES; n++) {
        rmii_put_byte((out.bytes + WORD + out.written) & RMII_RING_MASK, (uint8_t)(sequence >> 8u * n));
        out.written++;
    }
}

void RMII_FAST rmii_mac_send(void) {
    close_frame();
    struct note note = {out.bytes, out.written};
    out.bytes += room_of(out.written);
    out.written = 0;
    counts.sent++;
    uint32_t held = interrupts_hold();
    bool is_idle = out.oldest == out.newest;
    out.notes[out.newest % NOTES] = note;
    out.newest++;
    if (is_idle) {
        send_oldest();
    }
    interrupts_release(held);
}

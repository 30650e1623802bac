/* Frames through the board's radio: calls of frames.h that go straight to its driver. */
#ifndef FRAMES_CYW43_H
#define FRAMES_CYW43_H

#include "cyw43_frames.h"

extern struct cyw43 board_cyw43;

#define FRAMES_INLINE extern inline __attribute__((gnu_inline, always_inline))

FRAMES_INLINE void frames_acknowledge(void) { cyw43_frames_acknowledge(&board_cyw43); }

FRAMES_INLINE size_t frames_next(void) { return cyw43_frames_next(&board_cyw43); }

/* The next look at the line tells. */
FRAMES_INLINE bool frames_are_known(void) { return false; }

/* Words go to their place without what stands before the frame. */
FRAMES_INLINE bool frames_read(uint8_t *buffer, size_t headroom, size_t count) {
    cyw43_frames_read(&board_cyw43, buffer + headroom, count);
    return true;
}

FRAMES_INLINE void frames_finish(void) { cyw43_frames_finish(&board_cyw43); }

FRAMES_INLINE void frames_settle(void) {}

FRAMES_INLINE bool frames_has_room(size_t bytes) { return cyw43_frames_has_room(&board_cyw43, bytes); }

/* Short frames need not be filled on the air. */
FRAMES_INLINE void frames_write(const uint8_t *bytes, size_t count, bool is_last) {
    (void)is_last;
    cyw43_frames_write(&board_cyw43, bytes, count);
}

FRAMES_INLINE bool frames_send(void) {
    cyw43_frames_send(&board_cyw43);
    return true;
}

FRAMES_INLINE uint32_t frames_faults(void) { return cyw43_frames_faults(&board_cyw43); }

#endif

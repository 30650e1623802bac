/* Frames through the board's WIZnet chip: calls of frames.h that go straight to its driver, wherever they stand. */
#ifndef FRAMES_WIZNET_H
#define FRAMES_WIZNET_H

#include "wiznet_frames.h"

#define FRAMES_INLINE extern inline __attribute__((gnu_inline, always_inline))

FRAMES_INLINE bool frames_open(void) { return wiznet_frames_open(&board_wiznet); }

FRAMES_INLINE void frames_acknowledge(void) { wiznet_frames_acknowledge(&board_wiznet); }

FRAMES_INLINE size_t frames_next(void) { return wiznet_frames_next(&board_wiznet); }

FRAMES_INLINE bool frames_are_known(void) { return wiznet_frames_are_known(&board_wiznet); }

FRAMES_INLINE bool frames_read(uint8_t *buffer, size_t headroom, size_t count) {
    return wiznet_frames_read(&board_wiznet, buffer, headroom, count);
}

FRAMES_INLINE void frames_finish(void) { wiznet_frames_finish(&board_wiznet); }

FRAMES_INLINE void frames_settle(void) { wiznet_frames_settle(&board_wiznet); }

FRAMES_INLINE bool frames_has_room(size_t bytes) { return wiznet_frames_has_room(&board_wiznet, bytes); }

FRAMES_INLINE void frames_write(const uint8_t *bytes, size_t count, bool is_last) {
    wiznet_frames_write(&board_wiznet, bytes, count, is_last);
}

FRAMES_INLINE bool frames_send(void) { return wiznet_frames_send(&board_wiznet); }

FRAMES_INLINE uint32_t frames_faults(void) { return wiznet_frames_faults(&board_wiznet); }

#endif

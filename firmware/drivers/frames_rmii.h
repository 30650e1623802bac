/* Frames over RMII: calls of frames.h that go straight to the MAC. */
#ifndef FRAMES_RMII_H
#define FRAMES_RMII_H

#include "rmii_mac.h"

#define FRAMES_INLINE extern inline __attribute__((gnu_inline, always_inline))

FRAMES_INLINE void frames_acknowledge(void) {}

FRAMES_INLINE size_t frames_next(void) { return rmii_mac_next(); }

FRAMES_INLINE bool frames_are_known(void) { return rmii_mac_has_frame(); }

FRAMES_INLINE bool frames_read(uint8_t *buffer, size_t headroom, size_t count) {
    return rmii_mac_read(buffer + headroom, count);
}

FRAMES_INLINE void frames_finish(void) { rmii_mac_finish(); }

FRAMES_INLINE void frames_settle(void) {}

FRAMES_INLINE bool frames_has_room(size_t bytes) { return rmii_mac_has_room(bytes); }

FRAMES_INLINE void frames_write(const uint8_t *bytes, size_t count, bool is_last) {
    (void)is_last;
    rmii_mac_write(bytes, count);
}

FRAMES_INLINE bool frames_send(void) {
    rmii_mac_send();
    return true;
}

#endif

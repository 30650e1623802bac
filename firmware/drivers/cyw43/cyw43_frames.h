/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Whole Ethernet frames through the radio, for a TCP/IP stack in software. The chip was started before (cyw43_start()).
 * From a frame's first call to its last, no other function of the driver may be called. */
#ifndef CYW43_FRAMES_H
#define CYW43_FRAMES_H

#include "cyw43.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CYW43_FRAMES_MOST_BYTES 1514u

/* Clears the interrupt of frames that came in. */
void cyw43_frames_acknowledge(struct cyw43 *cyw43);
/* The size of the next frame, 0 when there is none. What else the chip has to say is taken care of meanwhile. */
size_t cyw43_frames_next(struct cyw43 *cyw43);
/* Takes the next bytes of that frame. */
void cyw43_frames_read(struct cyw43 *cyw43, uint8_t *bytes, size_t count);
/* Leaves out what is left of it. */
void cyw43_frames_finish(struct cyw43 *cyw43);
/* Whether a frame of so many bytes can be written now. What is written next is that frame. */
bool cyw43_frames_has_room(struct cyw43 *cyw43, size_t bytes);
/* Writes a piece of the frame behind the piece before. */
void cyw43_frames_write(struct cyw43 *cyw43, const uint8_t *bytes, size_t count);
/* Sends what was written. A frame that has fewer bytes than were announced has zeros behind them. */
void cyw43_frames_send(struct cyw43 *cyw43);
/* How many times what the chip said could not be right, or it had lost something. */
uint32_t cyw43_frames_faults(const struct cyw43 *cyw43);

#ifdef __cplusplus
}
#endif

#endif

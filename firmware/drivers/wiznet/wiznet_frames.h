/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Whole Ethernet frames through socket 0 in MACRAW mode, for a TCP/IP stack in software. The chip was started before
 * (wiznet_start()); its other sockets are not to be used meanwhile, as socket 0 takes all of the memory that the chip
 * can give one. */
#ifndef WIZNET_FRAMES_H
#define WIZNET_FRAMES_H

#include "wiznet.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WIZNET_FRAMES_MOST_BYTES 1514u /* without the check sequence */
#define WIZNET_FRAMES_AHEAD_BYTES 2u   /* the headroom in which the size before a frame has room */

/* Has frames come in from here on, which raise the interrupt pin; those for other stations are dropped by the chip.
 * False when the chip does not follow. */
bool wiznet_frames_open(struct wiznet *wiznet);
/* Clears the interrupt of frames that came in. */
void wiznet_frames_acknowledge(struct wiznet *wiznet);
/* The size of the next frame, 0 when there is none. A size that cannot be counts in wiznet_frames_faults() and has the
 * chip begin anew: what was in its memory is lost. */
size_t wiznet_frames_next(struct wiznet *wiznet);
/* Whether one more is known to be there, without asking the chip. */
bool wiznet_frames_are_known(const struct wiznet *wiznet);
/* Takes the next bytes of that frame to `buffer + headroom`. The headroom is the driver's to write to: with
 * WIZNET_FRAMES_AHEAD_BYTES of it or more at a frame's first bytes, a short frame may come in one transaction less.
 * False where the frame has another size than wiznet_frames_next() said: then it is to be finished, and asked for anew.
 */
bool wiznet_frames_read(struct wiznet *wiznet, uint8_t *buffer, size_t headroom, size_t count);
/* Leaves out what is left of it. Its room in the chip may be freed later. */
void wiznet_frames_finish(struct wiznet *wiznet);
/* Does what can wait until an answer is on its way: frees the room of frames that were taken, and sees whether the last
 * one sent has left. */
void wiznet_frames_settle(struct wiznet *wiznet);
/* Whether a frame of so many bytes can be written now. */
bool wiznet_frames_has_room(const struct wiznet *wiznet, size_t bytes);
/* Writes a piece of a frame behind the piece before. Behind the last one a short frame is filled with zeros. */
void wiznet_frames_write(struct wiznet *wiznet, const uint8_t *bytes, size_t count, bool is_last);
/* Sends what was written as one frame. False where it cannot leave, nor the frame before: then both are lost, which
 * counts in wiznet_frames_faults(). */
bool wiznet_frames_send(struct wiznet *wiznet);
/* How often the socket had to be opened anew. */
uint32_t wiznet_frames_faults(const struct wiznet *wiznet);

#ifdef __cplusplus
}
#endif

#endif

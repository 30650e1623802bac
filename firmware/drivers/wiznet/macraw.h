/* Whole Ethernet frames through socket 0, for a TCP/IP stack in software. */
#ifndef WIZNET_MACRAW_H
#define WIZNET_MACRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACRAW_MOST_BYTES 1514u /* without the check sequence */

/* Opens socket 0 with all of the chip's memory; frames for other stations are dropped by the chip. */
bool macraw_open(void);
/* Clears the interrupt of frames that came in. */
void macraw_acknowledge(void);
/* The size of the next frame, 0 when there is none. A size that cannot be counts in macraw_faults() and opens the socket
 * anew: what was in its memory is lost. */
size_t macraw_next(void);
/* Takes the next bytes of that frame. */
void macraw_read(uint8_t *bytes, size_t count);
/* Leaves out what is left of it, and frees its room. */
void macraw_finish(void);
/* Whether a frame of so many bytes can be written now. */
bool macraw_has_room(size_t bytes);
/* Writes a piece of a frame behind the piece before. */
void macraw_write(const uint8_t *bytes, size_t count);
/* Sends what was written as one frame; short frames are filled with zeros. */
void macraw_send(void);
uint32_t macraw_faults(void);

#endif

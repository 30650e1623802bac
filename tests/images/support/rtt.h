/* RTT as SEGGER documents it (UM08001): a control block in RAM that a debug probe finds by its identifier, with
 * descriptors of ring buffers. The image moves the write offset of an up-buffer, the probe its read offset; of a
 * down-buffer it is the other way round.
 */
#ifndef RTT_H
#define RTT_H

#include <stdint.h>

#define RTT_SKIP 0u  /* What does not fit is left out as a whole. */
#define RTT_BLOCK 2u /* The image waits until it fits. */

#ifndef RTT_BYTES
#define RTT_BYTES 256u
#endif

/* One up-buffer with a name and a mode, and with `down` a down-buffer of 16 bytes. The identifier is written last. */
void rtt_start(const char *name, uint32_t mode, uint32_t down);
/* Whether all of it is in the buffer. */
int rtt_write(const void *bytes, uint32_t length);
int rtt_put_text(const char *text);
/* The next byte that was typed, or -1. */
int rtt_read(void);

#endif

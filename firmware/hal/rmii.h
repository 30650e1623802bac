/* A MAC's side of RMII, as far as it needs the port: pins, a ring for each direction, and the CRC of IEEE 802.3 (clause
 * 3) over what is copied between a ring and memory. drivers/rmii makes frames of it. Places in a ring are offsets,
 * which wrap. */
#ifndef HAL_RMII_H
#define HAL_RMII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of either ring; a build may have larger ones. */
#ifndef RMII_RING_BITS
#define RMII_RING_BITS 12u
#endif
#define RMII_RING_BYTES (1u << RMII_RING_BITS)
#define RMII_RING_MASK (RMII_RING_BYTES - 1u)
/* What is left in the CRC behind a frame with the right check sequence. */
#define RMII_CRC_RIGHT 0xdebb20e3u
/* What a build puts before functions that run for each frame: a section in SRAM. */
#ifndef RMII_FAST
#define RMII_FAST
#endif

/* Gives the PHY its reference clock, and has bytes come into the receive ring from its beginning on. Both handlers are
 * called in interrupt context: `frame_ended` with the place behind a frame's last byte, `frame_left` when a frame is
 * out of the transmit ring. */
void rmii_start(void (*frame_ended)(uint32_t place), void (*frame_left)(void));
/* Has a frame leave: a word of the port's own at `place`, a multiple of four, and so many bytes behind it, check
 * sequence and all. Not before the frame before is out of the ring. */
void rmii_send(uint32_t place, size_t bytes);

/* Begins a CRC. */
void rmii_crc_begin(void);
/* Takes bytes out of the receive ring, or puts them into the transmit ring, through the CRC. */
void rmii_take(uint8_t *to, uint32_t place, size_t count);
void rmii_put(uint32_t place, const uint8_t *from, size_t count);
/* The CRC of what went through, before its complement. */
uint32_t rmii_crc(void);
/* A byte of the receive ring, and one for the transmit ring, past the CRC. */
uint8_t rmii_peek(uint32_t place);
void rmii_put_byte(uint32_t place, uint8_t byte);

#endif

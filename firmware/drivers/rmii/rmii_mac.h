/* Frames over RMII: the MAC of IEEE 802.3 that is left for software where PIO and DMA move bits and bytes. It has a
 * place in the receive ring for each frame that came, and fills frames that go out up to 60 bytes with their check
 * sequence. */
#ifndef RMII_MAC_H
#define RMII_MAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was lost, by its cause. */
struct rmii_mac_counts {
    uint32_t received, sent;
    uint32_t wrong_size, damaged, overrun; /* of those that came */
};

/* Starts the port, and calls `wake` in interrupt context when a frame has come. */
void rmii_mac_start(const uint8_t own[6], void (*wake)(void));
bool rmii_mac_has_frame(void);
/* The size of the next frame for this station without its check sequence, 0 when there is none. */
size_t rmii_mac_next(void);
/* Takes its next bytes; with its last ones the check sequence is looked at, and false says that it is wrong. */
bool rmii_mac_read(uint8_t *bytes, size_t count);
/* Leaves the frame. */
void rmii_mac_finish(void);
bool rmii_mac_has_room(size_t bytes);
/* Writes a piece of a frame behind the piece before. */
void rmii_mac_write(const uint8_t *bytes, size_t count);
/* Fills the frame, closes it and has it leave, after those before. */
void rmii_mac_send(void);
const struct rmii_mac_counts *rmii_mac_counts(void);

#endif

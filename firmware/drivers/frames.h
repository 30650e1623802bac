/* A chip as whole Ethernet frames, for a TCP/IP stack in software: socket 0 of a WIZnet chip in MACRAW mode
 * (frames_wiznet.h), the radio of a Pico W (frames_cyw43.h), a PHY behind RMII (frames_rmii.h), or the ideal MAC
 * (ideal_mac/ideal_mac.c). The build takes the one that board.h names. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"

#define FRAMES_MOST_BYTES 1514u /* without the check sequence */
#define FRAMES_AHEAD_BYTES 2u   /* the headroom in which the size before a frame has room */

/* Why no connection can be opened, as far as the chip knows. */
enum frames_fault { FRAMES_READY, FRAMES_NO_CHIP, FRAMES_NO_LINK, FRAMES_NO_ADDRESS };

struct spi_waiter;

/* What a chip on an SPI is to be driven with; others pay no heed. */
struct frames_bus {
    uint32_t spi_hz;
    size_t spi_dma_from_bytes;
};

/* Starts the chip with this address; FRAMES_READY or FRAMES_NO_CHIP. */
enum frames_fault frames_start(const uint8_t mac[6], const struct frames_bus *bus);
/* What it is called, and the clock of its SPI; 0 where it is on none. */
const char *frames_chip_name(void);
uint32_t frames_spi_hz(void);
/* What a fault means, and what a person can do about it. */
const char *frames_sentence(enum frames_fault fault);
bool frames_has_link(void);
/* Whether it knows: the W5100 has no register for the link, and says that there is one. */
bool frames_knows_link(void);
/* Has long transfers on an SPI wait there (spi.h). */
void frames_set_waiter(const struct spi_waiter *waiter);

/* Has frames come in from here on, which raise the interrupt pin; those for other stations are dropped by the chip. */
bool frames_open(void);
/* Clears the interrupt of frames that came in. */
void frames_acknowledge(void);
/* The size of the next frame, 0 when there is none. A size that cannot be counts in frames_faults() and has the chip
 * begin anew: what was in its memory is lost. */
size_t frames_next(void);
/* Whether one more is known to be there, without asking the chip. */
bool frames_are_known(void);
/* Takes the next bytes of that frame to `buffer + headroom`. The headroom is the driver's to write to: with
 * FRAMES_AHEAD_BYTES of it or more at a frame's first bytes, a short frame may come in one transaction less. False
 * where the frame has another size than frames_next() said: then it is to be finished, and asked for anew. */
bool frames_read(uint8_t *buffer, size_t headroom, size_t count);
/* Leaves out what is left of it. Its room in the chip may be freed later. */
void frames_finish(void);
/* What can wait until an answer is on its way: frees the room of frames that were taken, and sees whether the last one
 * sent has left. */
void frames_settle(void);
/* Whether a frame of so many bytes can be written now. What is written next is that frame. */
bool frames_has_room(size_t bytes);
/* Writes a piece of a frame behind the piece before. Behind the last one a short frame is filled with zeros. */
void frames_write(const uint8_t *bytes, size_t count, bool is_last);
/* Sends what was written as one frame. False where it cannot leave, nor the frame before: it is lost, which counts in
 * frames_faults(). */
bool frames_send(void);
uint32_t frames_faults(void);

#if defined(FRAMES_BY_BYTES)
#include "wiznet_frames.h" /* frames_by_bytes.c is another way to the same chip */
#elif defined(WIZNET_CONFIG)
#include "frames_wiznet.h"
#elif defined(BOARD_CYW43439)
#include "frames_cyw43.h"
#elif defined(BOARD_LAN8720)
#include "frames_rmii.h"
#endif

#endif

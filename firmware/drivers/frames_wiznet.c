/* Frames through the board's WIZnet chip. */
#include "frames.h"

#include "spi.h"
#include "wiznet.h"
#include "wiznet_frames.h"

_Static_assert(FRAMES_MOST_BYTES == WIZNET_FRAMES_MOST_BYTES && FRAMES_AHEAD_BYTES == WIZNET_FRAMES_AHEAD_BYTES,
               "frames.h asks for what the driver takes");

static enum wiznet_fault fault_of(enum frames_fault fault) {
    switch (fault) {
    case FRAMES_NO_CHIP:
        return WIZNET_NO_CHIP;
    case FRAMES_NO_LINK:
        return WIZNET_NO_LINK;
    case FRAMES_NO_ADDRESS:
        return WIZNET_NO_ADDRESS;
    default:
        return WIZNET_READY;
    }
}

enum frames_fault frames_start(const uint8_t mac[6], const struct frames_bus *bus) {
    if (wiznet_start(&board_wiznet, bus->spi_hz, mac) != WIZNET_READY) {
        return FRAMES_NO_CHIP;
    }
    spi_set_dma_from(bus->spi_dma_from_bytes);
    return FRAMES_READY;
}

const char *frames_chip_name(void) { return wiznet_chip_name(&board_wiznet); }

uint32_t frames_spi_hz(void) { return wiznet_spi_hz(&board_wiznet); }

const char *frames_sentence(enum frames_fault fault) { return wiznet_sentence(&board_wiznet, fault_of(fault)); }

void frames_set_waiter(const struct spi_waiter *waiter) { spi_set_waiter(waiter); }

bool frames_has_link(void) { return wiznet_query(&board_wiznet) != WIZNET_NO_LINK; }

bool frames_knows_link(void) { return wiznet_knows_link(&board_wiznet); }

bool frames_open(void) { return wiznet_frames_open(&board_wiznet); }

void frames_acknowledge(void) { wiznet_frames_acknowledge(&board_wiznet); }

size_t frames_next(void) { return wiznet_frames_next(&board_wiznet); }

bool frames_are_known(void) { return wiznet_frames_are_known(&board_wiznet); }

bool frames_read(uint8_t *buffer, size_t headroom, size_t count) {
    return wiznet_frames_read(&board_wiznet, buffer, headroom, count);
}

void frames_finish(void) { wiznet_frames_finish(&board_wiznet); }

void frames_settle(void) { wiznet_frames_settle(&board_wiznet); }

bool frames_has_room(size_t bytes) { return wiznet_frames_has_room(&board_wiznet, bytes); }

void frames_write(const uint8_t *bytes, size_t count, bool is_last) {
    wiznet_frames_write(&board_wiznet, bytes, count, is_last);
}

bool frames_send(void) { return wiznet_frames_send(&board_wiznet); }

uint32_t frames_faults(void) { return wiznet_frames_faults(&board_wiznet); }

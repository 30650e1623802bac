/* The board's WIZnet chip as frames.h has it: start, link, and what is said of it. frames_wiznet.h moves the frames. */
#include "frames.h"

#include "spi.h"
#include "wiznet.h"

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

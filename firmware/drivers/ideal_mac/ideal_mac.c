/* Frames through the ideal MAC. A frame is written at the place in the MAC's memory that has the alignment of its first
 * piece: copies then go by words. */
#include "ideal_mac.h"

#include <string.h>

#include "frames.h"

static size_t taken; /* of the frame that is being read */
static size_t written, written_from;

enum frames_fault frames_start(const uint8_t mac[6], const struct frames_bus *bus) {
    (void)bus;
    if (IDEAL_MAC_ID != ID_VALUE) {
        return FRAMES_NO_CHIP;
    }
    uint32_t address[2] = {0};
    memcpy(address, mac, 6);
    IDEAL_MAC_CONTROL = 0;
    IDEAL_MAC_LOW = address[0];
    IDEAL_MAC_HIGH = address[1];
    return FRAMES_READY;
}

const char *frames_chip_name(void) { return "ideal MAC"; }

uint32_t frames_spi_hz(void) { return 0; }

const char *frames_sentence(enum frames_fault fault) {
    switch (fault) {
    case FRAMES_READY:
        return "The ideal MAC is ready.";
    case FRAMES_NO_CHIP:
        return "There is no ideal MAC in the address space: only a virtual board can have one.";
    case FRAMES_NO_LINK:
        return "The ideal MAC has no link: is the cable plugged in?";
    case FRAMES_NO_ADDRESS:
        return "The ideal MAC has no IP address: set one, or wait for DHCP.";
    }
    return "";
}

bool frames_has_link(void) { return IDEAL_MAC_STATUS & STATUS_LINK; }

bool frames_knows_link(void) { return true; }

void frames_set_waiter(const struct spi_waiter *waiter) { (void)waiter; }

bool frames_open(void) {
    taken = written = 0;
    IDEAL_MAC_CONTROL = CONTROL_RECEIVE | CONTROL_INTERRUPT;
    return true;
}

/* The pin follows the frames by itself. */
void frames_acknowledge(void) {}

size_t frames_next(void) { return IDEAL_MAC_RX_BYTES; }

bool frames_are_known(void) { return IDEAL_MAC_RX_BYTES; }

bool frames_read(uint8_t *buffer, size_t headroom, size_t count) {
    size_t left = IDEAL_MAC_MEMORY_BYTES - taken;
    count = count < left ? count : left;
    memcpy(buffer + headroom, IDEAL_MAC_RX_MEMORY + taken, count);
    taken += count;
    return true;
}

void frames_finish(void) {
    taken = 0;
    IDEAL_MAC_RX_DONE = 0;
}

void frames_settle(void) {}

bool frames_has_room(size_t bytes) { return bytes <= FRAMES_MOST_BYTES && IDEAL_MAC_TX_ROOM; }

/* Short frames are filled on the wire. */
void frames_write(const uint8_t *bytes, size_t count, bool is_last) {
    (void)is_last;
    if (!written) {
        written_from = (uintptr_t)bytes & 3u;
    }
    size_t left = IDEAL_MAC_MEMORY_BYTES - written_from - written;
    count = count < left ? count : left;
    memcpy(IDEAL_MAC_TX_MEMORY + written_from + written, bytes, count);
    written += count;
}

/* What it refuses it counts by itself (frames_faults()); frames_has_room() was asked before. */
bool frames_send(void) {
    IDEAL_MAC_TX_SEND = written_from << 16 | written;
    written = 0;
    return true;
}

uint32_t frames_faults(void) { return IDEAL_MAC_TX_REFUSED; }

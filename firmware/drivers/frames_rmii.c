/* The board's PHY as frames.h has it, and what is said of it. frames_rmii.h moves the frames. */
#include "frames_rmii.h"

#include "frames.h"
#include "phy.h"
#include "rmii_wake.h"

static void (*waker)(void);

static void frame_came(void) {
    if (waker) {
        waker();
    }
}

bool rmii_on_frame(void (*handler)(void)) {
    waker = handler;
    return true;
}

/* The PHY answers only with its reference clock, which the port gives. */
enum frames_fault frames_start(const uint8_t mac[6], const struct frames_bus *bus) {
    (void)bus;
    rmii_mac_start(mac, frame_came);
    return phy_start() ? FRAMES_READY : FRAMES_NO_CHIP;
}

const char *frames_chip_name(void) { return "LAN8720A"; }

uint32_t frames_spi_hz(void) { return 0; }

const char *frames_sentence(enum frames_fault fault) {
    switch (fault) {
    case FRAMES_READY:
        return "The PHY is ready.";
    case FRAMES_NO_CHIP:
        return "No PHY answers on the management interface: are MDIO, MDC and the reference clock connected?";
    case FRAMES_NO_LINK:
        return "The PHY has no link: is the cable plugged in, and is its other end a port for 100 Mbit/s?";
    case FRAMES_NO_ADDRESS:
        return "The PHY has no IP address: set one, or wait for DHCP.";
    }
    return "";
}

bool frames_has_link(void) { return phy_has_link(); }

bool frames_knows_link(void) { return true; }

void frames_set_waiter(const struct spi_waiter *waiter) { (void)waiter; }

bool frames_open(void) { return true; }

uint32_t frames_faults(void) {
    const struct rmii_mac_counts *counts = rmii_mac_counts();
    return counts->wrong_size + counts->damaged + counts->overrun;
}

/* Start, readiness and interrupts of the chip. */
#include "wiznet.h"

#include <string.h>

#include "bus.h"
#include "chip.h"
#include "clock.h"
#include "gpio.h"
#include "spi.h"

#define LINK_POLL_US 1000u
/* After the time in which the chip starts by its datasheet. */
#define ANSWER_LIMIT_US 100000u

static uint32_t spi_hz;
static bool has_address;

/* The W5100 has no version register: it is there when it keeps what is written. */
static bool chip_answers(void) {
#ifdef VERSIONR
    return bus_read8(VERSIONR) == CHIP_VERSION;
#else
    static const uint8_t pattern[4] = {0xa5, 0x3c, 0x96, 0x69};
    uint8_t kept[4];
    bus_write(GAR, pattern, 4);
    bus_read(GAR, kept, 4);
    return !memcmp(kept, pattern, 4);
#endif
}

static void pause(uint32_t limit_us) {
    uint32_t from = clock_us();
    while (!clock_is_over(from, limit_us)) {
        clock_sleep(limit_us - (clock_us() - from));
    }
}

enum wiznet_fault wiznet_start(uint32_t hz, const uint8_t mac[6]) {
    spi_hz = spi_start(hz < CHIP_SPI_HZ ? hz : CHIP_SPI_HZ);
    gpio_output(BOARD_NETWORK_RSTN, false);
    pause(CHIP_RESET_US);
    gpio_put(BOARD_NETWORK_RSTN, true);
    pause(CHIP_START_MS * 1000u);
    uint32_t from = clock_us();
    while (!chip_answers()) {
        if (clock_is_over(from, ANSWER_LIMIT_US)) {
            return WIZNET_NO_CHIP;
        }
    }
#ifdef NETLCKR
    bus_write8(NETLCKR, NETLCKR_UNLOCK);
#endif
    bus_write(SHAR, mac, 6);
    has_address = false;
    return WIZNET_READY;
}

uint32_t wiznet_spi_hz(void) { return spi_hz; }

void wiznet_set_addresses(const struct wiznet_addresses *addresses) {
    bus_write(GAR, (const uint8_t *)&addresses->gateway, 4);
    bus_write(SUBR, (const uint8_t *)&addresses->mask, 4);
    bus_write(SIPR, (const uint8_t *)&addresses->address, 4);
    has_address = addresses->address != 0;
}

enum wiznet_fault wiznet_query(void) {
    if (!chip_answers()) {
        return WIZNET_NO_CHIP;
    }
#ifdef PHY
    if (!(bus_read8(PHY) & PHY_LINK)) {
        return WIZNET_NO_LINK;
    }
#endif
    return has_address ? WIZNET_READY : WIZNET_NO_ADDRESS;
}

bool wiznet_knows_link(void) {
#ifdef PHY
    return true;
#else
    return false;
#endif
}

enum wiznet_fault wiznet_wait_until_ready(uint32_t limit_ms) {
    uint32_t from = clock_ms();
    for (;;) {
        enum wiznet_fault fault = wiznet_query();
        if (fault == WIZNET_READY || clock_ms() - from >= limit_ms) {
            return fault;
        }
        clock_sleep(LINK_POLL_US);
    }
}

const char *wiznet_sentence(enum wiznet_fault fault) {
    switch (fault) {
    case WIZNET_READY:
        return CHIP_NAME " is ready.";
    case WIZNET_NO_CHIP:
        return "No " CHIP_NAME " answers on the SPI: look at its supply, RSTn, CSn, and at the SPI clock.";
    case WIZNET_NO_LINK:
        return CHIP_NAME " has no link: is the cable plugged in, and the switch on?";
    case WIZNET_NO_ADDRESS:
        return CHIP_NAME " has no IP address: set one, or wait for DHCP.";
    }
    return "";
}

const char *wiznet_chip_name(void) { return CHIP_NAME; }

void wiznet_watch_sockets(uint32_t sockets) { bus_write8(SIMR, (uint8_t)sockets); }

uint32_t wiznet_interrupts(void) { return bus_read8(SIR) & ALL_SOCKETS; }

/* Implementation of phy.h. */
#include "phy.h"

#include "clock.h"
#include "mdio.h"

#define ADDRESSES 32u
#define NOBODY 0xffffu
#define BMCR 0u
#define BMCR_RESET 0x8000u
#define BMCR_NEGOTIATE_ANEW 0x1200u
#define BMSR 1u
#define BMSR_LINK 0x0004u
#define IDENTIFIER 2u
#define ADVERTISEMENT 4u
#define ADVERTISE_100 0x0181u /* full and half duplex, and 802.3 */
/* A PHY has come out of its reset within half a second (IEEE 802.3 clause 22). */
#define RESET_LIMIT_US 500000u

static unsigned address;

static bool find(void) {
    for (address = 0; address < ADDRESSES; address++) {
        if (mdio_read(address, IDENTIFIER) != NOBODY) {
            return true;
        }
    }
    return false;
}

bool phy_start(void) {
    mdio_start();
    if (!find()) {
        return false;
    }
    mdio_write(address, BMCR, BMCR_RESET);
    for (uint32_t from = clock_us(); mdio_read(address, BMCR) & BMCR_RESET;) {
        if (clock_is_over(from, RESET_LIMIT_US)) {
            return false;
        }
    }
    mdio_write(address, ADVERTISEMENT, ADVERTISE_100);
    mdio_write(address, BMCR, BMCR_NEGOTIATE_ANEW);
    return true;
}

bool phy_has_link(void) { return mdio_read(address, BMSR) & BMSR_LINK; }

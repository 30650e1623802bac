/* A PHY behind the management interface, by the registers that all of them have (IEEE 802.3 clause 22). */
#ifndef PHY_H
#define PHY_H

#include <stdbool.h>

/* Finds it, and has it negotiate 100 Mbit/s. False where no address answers. */
bool phy_start(void);
bool phy_has_link(void);

#endif

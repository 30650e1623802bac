/* The management interface of a PHY (IEEE 802.3 clause 22), by pins that are moved one by one. */
#ifndef MDIO_H
#define MDIO_H

#include <stdint.h>

void mdio_start(void);
uint16_t mdio_read(unsigned phy, unsigned reg);
void mdio_write(unsigned phy, unsigned reg, uint16_t value);

#endif

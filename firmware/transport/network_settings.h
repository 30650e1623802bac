/* Settings that every transport reads; hal/settings.h says how they are changed. */
#ifndef NETWORK_SETTINGS_H
#define NETWORK_SETTINGS_H

#include "settings.h"

/* What the millisecond clock begins with. */
USES_SETTING(clock_start_ms);
/* The SPI clock of the network chip: the fastest that is not above this nor above what the chip guarantees. */
USES_SETTING(spi_hz);
/* The shortest SPI transfer that goes by DMA; 0 for none. */
USES_SETTING(spi_dma_from_bytes);
/* Whether the chip's INT pin is connected. */
USES_SETTING(wiznet_int);
/* Without it: how often the chip is looked at; 0 for all the time. */
USES_SETTING(wiznet_poll_us);
/* Whether polls keep a raster of that period, as a timer's do; else so long passes from one look to the next, and what
 * was sent is followed by a look at once, as in drivers that sleep when they see nothing. */
USES_SETTING(wiznet_poll_raster);
/* Whether the address comes from DHCP (lwIP only), or from the three settings below. */
USES_SETTING(dhcp);
USES_SETTING(address);
USES_SETTING(mask);
USES_SETTING(gateway);
/* The last octet of the MAC address 02:00:00:41:57:xx. */
USES_SETTING(mac_last);
/* How long to wait for chip, link and address before saying what is missing. */
USES_SETTING(ready_limit_ms);
USES_SETTING(console_baud);
/* The watchdog's limit; 0 for no watchdog. */
USES_SETTING(watchdog_ms);

#define NETWORK_MAC {0x02, 0x00, 0x00, 0x41, 0x57, (uint8_t)setting_mac_last}

#endif

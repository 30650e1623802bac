/* Settings that every transport reads; settings.c and clock.c say what each means. */
#ifndef NETWORK_SETTINGS_H
#define NETWORK_SETTINGS_H

#include "settings.h"

USES_SETTING(clock_start_ms);
USES_SETTING(spi_hz);
USES_SETTING(spi_dma_from_bytes);
USES_SETTING(wiznet_int);
USES_SETTING(wiznet_poll_us);
USES_SETTING(wiznet_poll_raster);
USES_SETTING(address);
USES_SETTING(mask);
USES_SETTING(gateway);
USES_SETTING(mac_last);
USES_SETTING(ready_limit_ms);
USES_SETTING(console_baud);
USES_SETTING(watchdog_ms);

#define NETWORK_MAC {0x02, 0x00, 0x00, 0x41, 0x57, (uint8_t)setting_mac_last}

#endif

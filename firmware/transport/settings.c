/* Settings that every transport reads. */
#include "settings.h"

#include "network_settings.h"

SETTING(spi_hz, 33300000u);
SETTING(spi_dma_from_bytes, 32);
SETTING(wiznet_int, 1);
SETTING(wiznet_poll_us, 1000);
SETTING(wiznet_poll_raster, 1);
SETTING(dhcp, 0);
SETTING(address, SETTING_ADDRESS(192, 168, 1, 50));
SETTING(mask, SETTING_ADDRESS(255, 255, 255, 0));
SETTING(gateway, SETTING_ADDRESS(192, 168, 1, 1));
SETTING(mac_last, 0x50);
SETTING(ready_limit_ms, 10000);
SETTING(console_baud, 115200);
SETTING(watchdog_ms, 0);

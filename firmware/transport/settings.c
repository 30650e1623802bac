/* Settings that every transport reads. */
#include "settings.h"

#include "network_settings.h"

SETTING(spi_hz, 33300000u, "hz 10000..66500000",
        "the SPI clock of the network chip: the fastest that is not above this nor above what the chip guarantees");
SETTING(spi_dma_from_bytes, 32, "bytes 0..65536", "the shortest SPI transfer that goes by DMA, 0 for none");
SETTING(wiznet_int, 1, "on/off", "whether the chip's INT pin is connected");
SETTING(wiznet_poll_us, 1000, "us 0..60000000", "without INT pin: how often the chip is looked at, 0 for all the time");
SETTING(wiznet_poll_raster, 1, "on/off",
        "whether looks keep a raster of that period, as a timer's do; else so long passes from one look to the next, "
        "and what was sent is followed by a look at once, as in drivers that sleep when they see nothing");
SETTING(address, SETTING_ADDRESS(192, 168, 1, 50), "address", "the board's address");
SETTING(mask, SETTING_ADDRESS(255, 255, 255, 0), "address", "the mask of its network");
SETTING(gateway, SETTING_ADDRESS(192, 168, 1, 1), "address", "the router of its network");
SETTING(mac_last, 0x50, "octet 0..255",
        "the last octet of the MAC address 02:00:00:41:57:50 (80 is 0x50); boards on one network need different ones");
SETTING(ready_limit_ms, 10000, "ms 0..3600000",
        "how long to wait for chip, link and address before saying which is missing");
SETTING(console_baud, 115200, "baud 300..3900000", "the rate of the console's UART");
SETTING(watchdog_ms, 0, "ms 0..8000", "the watchdog's limit, 0 for no watchdog");

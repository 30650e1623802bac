/* lwIP's options as a published MAC by PIO sets them (docs/explanation/rmii-by-pio.md): full segments, all else
 * opt.h's, its own checksum among it. The window is thus four segments. */
#ifndef LWIP_SETTINGS_RMII_H
#define LWIP_SETTINGS_RMII_H

#include "settings_default.h"

#define TCP_MSS 1460
#define TCP_SND_BUF (2 * TCP_MSS)
#undef LWIP_CHKSUM
#undef LWIP_CHKSUM_ALGORITHM

#endif

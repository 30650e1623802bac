/* lwIP's options as a published measurement of TCP throughput on a Cortex-M7 sets them; all else is opt.h's. All of it
 * fits the RP2040: 96 KiB of its 264 are buffers of packets. */
#ifndef LWIP_SETTINGS_PUBLISHED_H
#define LWIP_SETTINGS_PUBLISHED_H

#include "settings_default.h"

#ifndef MEM_SIZE
#define MEM_SIZE (24 * 1024)
#endif
#ifndef MEMP_NUM_PBUF
#define MEMP_NUM_PBUF 24
#endif
#ifndef MEMP_NUM_TCP_SEG
#define MEMP_NUM_TCP_SEG 150
#endif
#ifndef PBUF_POOL_SIZE
#define PBUF_POOL_SIZE 64
#endif
#ifndef TCP_MSS
#define TCP_MSS 1460
#endif
#ifndef TCP_SND_BUF
#define TCP_SND_BUF (11 * TCP_MSS)
#endif
#ifndef TCP_WND
#define TCP_WND (11 * TCP_MSS)
#endif

#endif

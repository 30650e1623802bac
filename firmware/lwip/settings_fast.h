/* lwIP for throughput and many connections: full segments, wide windows, statistics to watch its pools by, none of its
 * protocols. */
#ifndef LWIP_SETTINGS_FAST_H
#define LWIP_SETTINGS_FAST_H

#ifndef TCP_MSS
#define TCP_MSS 1460
#endif
/* No more than fits the chip's receive memory, or the ring behind a PHY: what comes beyond it is lost. Of the 8 KiB of
 * a W5100 or W5100S socket 0 has 4, as RMSR gives each of the others one at least. */
#ifndef TCP_WND
#if defined(BOARD_WIZNET_W5100) || defined(BOARD_WIZNET_W5100S) || defined(BOARD_LAN8720)
#define TCP_WND (2 * TCP_MSS)
#else
#define TCP_WND (8 * TCP_MSS)
#endif
#endif
#ifndef TCP_SND_BUF
#define TCP_SND_BUF (8 * TCP_MSS)
#endif
#define TCP_SND_QUEUELEN (4 * TCP_SND_BUF / TCP_MSS)
#define MEMP_NUM_TCP_PCB 16
#define MEMP_NUM_TCP_PCB_LISTEN 8
#ifndef MEMP_NUM_TCP_SEG
#define MEMP_NUM_TCP_SEG 64
#endif
#define MEMP_NUM_PBUF 32
#define LWIP_UDP 1
#define MEMP_NUM_UDP_PCB 8
#define MEMP_NUM_NETCONN 24
#define MEMP_NUM_NETBUF 16
#define MEMP_NUM_SYS_TIMEOUT 12
#ifndef PBUF_POOL_SIZE
#define PBUF_POOL_SIZE 24
#endif
#define PBUF_POOL_BUFSIZE 1536 /* a whole frame, so that it comes in by one DMA transfer */
#ifndef MEM_SIZE
#define MEM_SIZE (32 * 1024)
#endif
#define ARP_TABLE_SIZE 10
#define ARP_QUEUEING 1
#define IP_REASSEMBLY 1
#define IP_FRAG 1
#define TCP_QUEUE_OOSEQ 1
#define LWIP_DHCP 1
/* The check for the address in use takes seconds, and keeps lwIP from announcing a static one. */
#define LWIP_DHCP_DOES_ACD_CHECK 0
#define LWIP_DNS 1
#define LWIP_STATS 1
#define LWIP_STATS_DISPLAY 0
#define LINK_STATS 0
#define ETHARP_STATS 0
#define IP_STATS 0
#define IPFRAG_STATS 0
#define ICMP_STATS 0
#define UDP_STATS 0
#define TCP_STATS 0
#define LWIP_TCP_KEEPALIVE 1
#define LWIP_CHECKSUM_ON_COPY 0
#define LWIP_WND_SCALE 0

#endif

/* lwIP in little memory: a few connections with windows of two small segments, for pages and control. */
#ifndef LWIP_SETTINGS_SMALL_H
#define LWIP_SETTINGS_SMALL_H

#define TCP_MSS 536
#define TCP_WND (2 * TCP_MSS)
#define TCP_SND_BUF (2 * TCP_MSS)
#define TCP_SND_QUEUELEN 8
#define MEMP_NUM_TCP_PCB 3
#define MEMP_NUM_TCP_PCB_LISTEN 1
#define MEMP_NUM_TCP_SEG 8
#define MEMP_NUM_PBUF 4
#define LWIP_UDP 0
#define MEMP_NUM_SYS_TIMEOUT 4
#define PBUF_POOL_SIZE 3
#define PBUF_POOL_BUFSIZE 608 /* a segment with its headers */
#define MEM_SIZE 1600
#define ARP_TABLE_SIZE 2
#define ARP_QUEUEING 0
#define ETHARP_SUPPORT_STATIC_ENTRIES 0
#define IP_REASSEMBLY 0
#define IP_FRAG 0
#define TCP_QUEUE_OOSEQ 0
#define LWIP_DHCP 0
#define LWIP_DNS 0
#define LWIP_STATS 0
#define LWIP_NOASSERT 1
#define LWIP_TCP_KEEPALIVE 0
#define LWIP_CHECKSUM_ON_COPY 0
#define LWIP_WND_SCALE 0

#endif

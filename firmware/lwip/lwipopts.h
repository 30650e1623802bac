/* lwIP's options: what all images have in common, and one of the settings files. */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#include "board.h"

#ifdef AIRWIRE_FREERTOS
#define NO_SYS 0
#define LWIP_SOCKET 1
#define LWIP_NETCONN 1
#define LWIP_TCPIP_CORE_LOCKING 1
#define LWIP_TCPIP_CORE_LOCKING_INPUT 1
/* One task uses sockets: all its waits are on one semaphore, by which an interrupt handler can end select() as well. */
#define LWIP_NETCONN_SEM_PER_THREAD 1
#define LWIP_NETCONN_THREAD_SEM_GET() sys_socket_semaphore()
#define LWIP_NETCONN_THREAD_SEM_ALLOC()
#define LWIP_NETCONN_THREAD_SEM_FREE()
#define LWIP_COMPAT_SOCKETS 0
#define LWIP_SO_RCVTIMEO 0
#define LWIP_SO_SNDTIMEO 0
/* A connection that is broken off must not look like one that has ended. */
#define LWIP_SO_LINGER 1
/* Without a link there would be no route, and send() would give an error for bytes that it has taken already. */
struct netif;
struct netif *interface_route(void);
#define LWIP_HOOK_IP4_ROUTE(destination) interface_route()
#define SO_REUSE 1
#define LWIP_TIMEVAL_PRIVATE 1
/* Stacks and mailboxes have the sizes of sys_arch_freertos.c and sys_arch.h, whatever lwIP asks for. */
#define TCPIP_THREAD_PRIO 3
#else
#define NO_SYS 1
#define LWIP_SINGLE_NETIF 1 /* leaves the hook above out */
#define LWIP_SOCKET 0
#define LWIP_NETCONN 0
#endif

#define SYS_LIGHTWEIGHT_PROT (!NO_SYS)
#define LWIP_IPV4 1
/* An image that speaks both has it among its definitions: link-local addresses alone, nothing of routers', no pieces.
 */
#ifndef LWIP_IPV6
#define LWIP_IPV6 0
#endif
#define LWIP_IPV6_AUTOCONFIG 0
#define LWIP_IPV6_FRAG 0
#define LWIP_IPV6_REASS 0
#define LWIP_RAW 0
#define LWIP_TCP 1
#define LWIP_ICMP 1
#define LWIP_NETIF_LINK_CALLBACK 0
#define LWIP_NETIF_STATUS_CALLBACK 0
#define LWIP_NETIF_TX_SINGLE_PBUF 0
/* Two bytes before Ethernet's 14, so that headers and payloads lie at words. */
#define ETH_PAD_SIZE 2
#define MEM_ALIGNMENT 4
#define MEM_LIBC_MALLOC 0
#define MEMP_MEM_MALLOC 0
#define LWIP_NOASSERT_ON_ERROR 1
/* Checksums and copies in the port's own code. */
#define LWIP_CHKSUM port_checksum
#define LWIP_CHKSUM_ALGORITHM 0
unsigned short port_checksum(const void *bytes, int count);

#if defined(LWIP_SETTINGS_SMALL)
#include "settings_small.h"
#elif defined(LWIP_SETTINGS_FAST)
#include "settings_fast.h"
#elif defined(LWIP_SETTINGS_DEFAULT)
#include "settings_default.h"
#elif defined(LWIP_SETTINGS_PUBLISHED)
#include "settings_published.h"
#elif defined(LWIP_SETTINGS_RMII)
#include "settings_rmii.h"
#else
#error "Define LWIP_SETTINGS_SMALL, _FAST, _DEFAULT, _PUBLISHED or _RMII"
#endif

/* What a search tries instead (LWIP_TUNED_DIR of CMakeLists.txt). */
#ifdef AIRWIRE_LWIP_TUNED
#include "lwipopts_tuned.h"
#endif

#endif

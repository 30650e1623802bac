/* A chip that carries whole frames (frames.h) as lwIP's network interface. */
#ifndef NETIF_FRAMES_H
#define NETIF_FRAMES_H

#include <stdbool.h>

#include "lwip/netif.h"

/* For netif_add(): the chip was started. */
err_t netif_frames_init(struct netif *netif);
/* Takes the frames that have come in, at most so many, and hands them to lwIP. Whether there may be more. */
bool netif_frames_receive(struct netif *netif, unsigned most);
/* Looks at the cable, and tells lwIP when it comes or goes. */
void netif_frames_look_at_link(struct netif *netif);

#endif

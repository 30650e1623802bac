/* Frames between lwIP and the chip's MACRAW socket. A frame that finds no pbuf is dropped and counted by lwIP's statistics. */
#include "netif_wiznet.h"

#include <string.h>

#include "clock.h"
#include "lwip/etharp.h"
#include "lwip/pbuf.h"
#include "lwip/stats.h"
#include "macraw.h"
#include "network_settings.h"
#include "wiznet.h"

/* What another processor takes for a frame, and for each of its bytes beyond the bus: for comparisons with other boards. */
SETTING(frame_work_us, 0);
SETTING(byte_work_ns, 0);

static void work(uint32_t work_us) {
    for (uint32_t from = clock_us(); !clock_is_over(from, work_us);) {
    }
}

static err_t transmit(struct netif *netif, struct pbuf *frame) {
    (void)netif;
    if (frame->tot_len > MACRAW_MOST_BYTES) {
        return ERR_IF;
    }
    for (const struct pbuf *piece = frame; piece; piece = piece->next) {
        macraw_write(piece->payload, piece->len);
    }
    work(frame->tot_len * setting_byte_work_ns / 1000u);
    macraw_send();
    return ERR_OK;
}

static void receive_one(struct netif *netif, size_t bytes) {
    struct pbuf *frame = pbuf_alloc(PBUF_RAW, (u16_t)bytes, PBUF_POOL);
    for (struct pbuf *piece = frame; piece; piece = piece->next) {
        macraw_read(piece->payload, piece->len);
    }
    macraw_finish();
    work(setting_frame_work_us + bytes * setting_byte_work_ns / 1000u);
    if (frame && netif->input(frame, netif) != ERR_OK) {
        pbuf_free(frame);
    }
}

bool netif_wiznet_receive(struct netif *netif, unsigned most) {
    macraw_acknowledge();
    for (unsigned frame = 0; frame < most; frame++) {
        size_t bytes = macraw_next();
        if (!bytes) {
            return false;
        }
        receive_one(netif, bytes);
    }
    return true;
}

void netif_wiznet_look_at_link(struct netif *netif) {
    bool is_up = wiznet_query() != WIZNET_NO_LINK;
    if (is_up && !netif_is_link_up(netif)) {
        netif_set_link_up(netif);
    } else if (!is_up && netif_is_link_up(netif)) {
        netif_set_link_down(netif);
    }
}

err_t netif_wiznet_init(struct netif *netif) {
    static const uint8_t mac_start[5] = {0x02, 0x00, 0x00, 0x41, 0x57};
    netif->name[0] = 'w';
    netif->name[1] = 'z';
    netif->output = etharp_output;
    netif->linkoutput = transmit;
    netif->mtu = 1500;
    netif->hwaddr_len = 6;
    memcpy(netif->hwaddr, mac_start, sizeof mac_start);
    netif->hwaddr[5] = (uint8_t)setting_mac_last;
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
    return macraw_open() ? ERR_OK : ERR_IF;
}

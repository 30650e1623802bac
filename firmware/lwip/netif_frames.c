/* Frames between lwIP and the chip. A frame that finds no pbuf is dropped and counted by lwIP's statistics. */
#include "netif_frames.h"

#include <string.h>

#include "clock.h"
#include "frames.h"
#include "lwip/etharp.h"
#include "lwip/pbuf.h"
#include "lwip/stats.h"
#include "network_settings.h"

#define ANNOUNCED_LOOKS 50u
#define LOOKS_TO_ANNOUNCE 5u

/* What another processor takes for a frame, and for each of its bytes beyond the bus: for comparisons with other
 * boards. */
SETTING(frame_work_us, 0);
SETTING(byte_work_ns, 0);

static void work(uint32_t work_us) {
    for (uint32_t from = clock_us(); !clock_is_over(from, work_us);) {
    }
}

static err_t transmit(struct netif *netif, struct pbuf *frame) {
    if (frame->tot_len > FRAMES_MOST_BYTES) {
        return ERR_IF;
    }
    if (!netif_is_link_up(netif)) {
        return ERR_OK;
    }
    if (!frames_has_room(frame->tot_len)) {
        return ERR_MEM;
    }
    for (const struct pbuf *piece = frame; piece; piece = piece->next) {
        frames_write(piece->payload, piece->len);
    }
    work(frame->tot_len * setting_byte_work_ns / 1000u);
    frames_send();
    return ERR_OK;
}

static void receive_one(struct netif *netif, size_t bytes) {
    struct pbuf *frame = pbuf_alloc(PBUF_RAW, (u16_t)bytes, PBUF_POOL);
    for (struct pbuf *piece = frame; piece; piece = piece->next) {
        frames_read(piece->payload, piece->len);
    }
    frames_finish();
    work(setting_frame_work_us + bytes * setting_byte_work_ns / 1000u);
    if (frame && netif->input(frame, netif) != ERR_OK) {
        pbuf_free(frame);
    }
}

bool netif_frames_receive(struct netif *netif, unsigned most) {
    frames_acknowledge();
    for (unsigned frame = 0; frame < most; frame++) {
        size_t bytes = frames_next();
        if (!bytes) {
            return false;
        }
        receive_one(netif, bytes);
    }
    return true;
}

/* Where the chip does not tell its link, the address is announced a few times more: at first nobody may have heard. */
static void announce(struct netif *netif) {
    static unsigned looks;
    if (looks < ANNOUNCED_LOOKS && ++looks % LOOKS_TO_ANNOUNCE == 0) {
        etharp_gratuitous(netif);
    }
}

void netif_frames_look_at_link(struct netif *netif) {
    if (!frames_knows_link()) {
        announce(netif);
    }
    bool is_up = frames_has_link();
    if (is_up && !netif_is_link_up(netif)) {
        netif_set_link_up(netif);
    } else if (!is_up && netif_is_link_up(netif)) {
        netif_set_link_down(netif);
    }
}

err_t netif_frames_init(struct netif *netif) {
    static const uint8_t mac_start[5] = {0x02, 0x00, 0x00, 0x41, 0x57};
    netif->name[0] = 'e';
    netif->name[1] = 'n';
    netif->output = etharp_output;
    netif->linkoutput = transmit;
    netif->mtu = 1500;
    netif->hwaddr_len = 6;
    memcpy(netif->hwaddr, mac_start, sizeof mac_start);
    netif->hwaddr[5] = (uint8_t)setting_mac_last;
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
    return frames_open() ? ERR_OK : ERR_IF;
}

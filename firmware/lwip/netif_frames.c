/* Frames between lwIP and the chip. A frame that finds no pbuf is dropped and counted by lwIP's statistics. */
#include "netif_frames.h"

#include <string.h>

#include "bench_knobs.h"
#include "frames.h"
#include "lwip/etharp.h"
#include "lwip/ethip6.h"
#include "lwip/pbuf.h"
#include "lwip/stats.h"
#include "network_settings.h"
#include "watch.h"

/* Every half a second for five, as interface.c looks ten times a second. */
#define ANNOUNCED_LOOKS 50u
#define LOOKS_TO_ANNOUNCE 5u

static err_t transmit(struct netif *netif, struct pbuf *frame) {
    if (!netif_is_link_up(netif)) {
        return ERR_OK;
    }
    size_t bytes = frame->tot_len - ETH_PAD_SIZE;
    if (bytes > FRAMES_MOST_BYTES) {
        return ERR_IF;
    }
    if (!frames_has_room(bytes)) {
        return ERR_MEM;
    }
    frames_write((const uint8_t *)frame->payload + ETH_PAD_SIZE, frame->len - ETH_PAD_SIZE, !frame->next);
    for (const struct pbuf *piece = frame->next; piece; piece = piece->next) {
        frames_write(piece->payload, piece->len, !piece->next);
    }
    bench_work_out(bytes);
    return frames_send() ? ERR_OK : ERR_IF;
}

_Static_assert(ETH_PAD_SIZE >= FRAMES_AHEAD_BYTES, "the pad has room for what is read before a frame");

static void receive_one(struct netif *netif, size_t bytes) {
    struct pbuf *frame = pbuf_alloc(PBUF_RAW, (u16_t)(bytes + ETH_PAD_SIZE), PBUF_POOL);
    size_t pad = ETH_PAD_SIZE;
    bool is_right = true;
    for (struct pbuf *piece = frame; piece && is_right; piece = piece->next, pad = 0) {
        is_right = frames_read(piece->payload, pad, piece->len - pad);
    }
    frames_finish();
    if (!is_right) {
        pbuf_free(frame);
        return;
    }
    bench_work_in(bytes);
    if (frame && netif->input(frame, netif) != ERR_OK) {
        pbuf_free(frame);
    }
}

bool netif_frames_receive(struct netif *netif, unsigned most) {
    frames_acknowledge();
    for (unsigned frame = 0; frame < most; frame++) {
        if (frame && !frames_are_known() && watch_has_pin() && !watch_is_calling()) {
            return false; /* a frame that has come since would hold the pin */
        }
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
    const uint8_t mac[6] = NETWORK_MAC;
    netif->name[0] = 'e';
    netif->name[1] = 'n';
    netif->output = etharp_output;
    netif->linkoutput = transmit;
    netif->mtu = 1500;
    netif->hwaddr_len = sizeof mac;
    memcpy(netif->hwaddr, mac, sizeof mac);
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
#if LWIP_IPV6
    netif->output_ip6 = ethip6_output;
    netif->flags |= NETIF_FLAG_MLD6;
#endif
    return frames_open() ? ERR_OK : ERR_IF;
}

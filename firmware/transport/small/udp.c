/* Implementation of udp.h. A port that nobody has is answered by nothing. */
#include "udp.h"

#include "arp.h"
#include "checksum.h"
#include "frame.h"
#include "ip.h"

#ifndef SMALL_UDP_PORTS
#define SMALL_UDP_PORTS 2u
#endif

static struct udp_port {
    uint16_t number;
    udp_user *user;
    void *context;
} ports[SMALL_UDP_PORTS];

void udp_begin(void) { memset(ports, 0, sizeof ports); }

/* A checksum of 0 says that there is none. */
static bool is_intact(size_t length) {
    return !frame_word(UDP_CHECKSUM) ||
           checksum_add(ip_pseudo_sum(PROTOCOL_UDP, length), frame + IP_PAYLOAD, length) == UINT16_MAX;
}

static size_t input(size_t bytes, uint32_t now_ms) {
    (void)now_ms;
    size_t length = frame_word(UDP_LENGTH);
    if (bytes < UDP_BYTES || length < UDP_BYTES || length > bytes || !is_intact(length)) {
        return 0;
    }
    for (uint8_t n = 0; n < SMALL_UDP_PORTS; n++) {
        if (ports[n].user && ports[n].number == frame_word(UDP_TO)) {
            ports[n].user(ports[n].context, frame_address(IP_FROM), frame_word(UDP_FROM), frame + UDP_PAYLOAD,
                          length - UDP_BYTES);
            return 0;
        }
    }
    return 0;
}

struct udp_port *udp_bind(uint16_t number, udp_user *user, void *context) {
    static const struct ip_protocol protocol = {.number = PROTOCOL_UDP, .input = input};
    for (uint8_t n = 0; n < SMALL_UDP_PORTS; n++) {
        if (!ports[n].user) {
            ports[n] = (struct udp_port){number, user, context};
            ip_add(&protocol);
            return &ports[n];
        }
    }
    return NULL;
}

size_t udp_write(const struct udp_port *port, uint32_t to, uint16_t to_port, const uint8_t *bytes, size_t count) {
    uint8_t mac[MAC_BYTES];
    if (count > SMALL_FRAME_BYTES - UDP_PAYLOAD) {
        return 0;
    }
    if (ip_is_broadcast(to)) {
        memset(mac, 0xff, MAC_BYTES);
    } else if (!arp_find(to, mac)) {
        return 0;
    }
    memmove(frame + UDP_PAYLOAD, bytes, count);
    size_t length = UDP_BYTES + count, all = ip_compose(mac, to, PROTOCOL_UDP, length);
    frame_put_word(UDP_FROM, port->number);
    frame_put_word(UDP_TO, to_port);
    frame_put_word(UDP_LENGTH, (uint16_t)length);
    frame_put_word(UDP_CHECKSUM, 0);
    uint16_t sum = (uint16_t)~checksum_add(ip_pseudo_sum(PROTOCOL_UDP, length), frame + IP_PAYLOAD, length);
    frame_put_word(UDP_CHECKSUM, sum ? sum : UINT16_MAX);
    return all;
}

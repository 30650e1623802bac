/* Datagrams of network.h on the small stack. What was handed on is gone once another datagram is sent: there is one
 * frame. */
#include "loop.h"
#include "network.h"
#include "udp.h"

#ifndef SMALL_UDP_PORTS
#define SMALL_UDP_PORTS 2u
#endif

static struct datagrams {
    struct udp_port *port;
    datagram_user *received;
    void *context;
} all[SMALL_UDP_PORTS];

static void hand_on(void *context, uint32_t from, uint16_t from_port, const uint8_t *bytes, size_t count) {
    const struct datagrams *datagrams = context;
    struct endpoint sender = {from, from_port};
    datagrams->received(datagrams->context, &sender, bytes, count);
}

struct datagrams *network_bind(uint16_t port, datagram_user *received, void *context) {
    for (uint8_t n = 0; n < SMALL_UDP_PORTS; n++) {
        if (!all[n].port) {
            all[n].port = udp_bind(port, hand_on, &all[n]);
            all[n].received = received;
            all[n].context = context;
            return all[n].port ? &all[n] : NULL;
        }
    }
    return NULL;
}

bool datagram_send(struct datagrams *datagrams, const struct endpoint *to, const uint8_t *bytes, size_t count) {
    return loop_transmit(udp_write(datagrams->port, to->address, to->port, bytes, count));
}

/* Datagrams on lwIP's raw interface. */
#include <string.h>

#include "lwip/pbuf.h"
#include "lwip/udp.h"
#include "network.h"

struct datagrams {
    struct udp_pcb *pcb;
    datagram_user *received;
    void *context;
};
static struct datagrams ports[MEMP_NUM_UDP_PCB];

static void on_datagram(void *argument, struct udp_pcb *pcb, struct pbuf *packet, const ip_addr_t *from, u16_t port) {
    static uint8_t bytes[DATAGRAM_MOST_BYTES];
    struct datagrams *datagrams = argument;
    (void)pcb;
    struct endpoint sender = {ip4_addr_get_u32(ip_2_ip4(from)), port};
    if (packet->len == packet->tot_len) {
        datagrams->received(datagrams->context, &sender, packet->payload, packet->len);
    } else if (packet->tot_len <= sizeof bytes) {
        pbuf_copy_partial(packet, bytes, packet->tot_len, 0);
        datagrams->received(datagrams->context, &sender, bytes, packet->tot_len);
    }
    pbuf_free(packet);
}

struct datagrams *network_bind(uint16_t port, datagram_user *received, void *context) {
    for (unsigned n = 0; n < MEMP_NUM_UDP_PCB; n++) {
        struct datagrams *datagrams = &ports[n];
        if (datagrams->pcb) {
            continue;
        }
        struct udp_pcb *pcb = udp_new();
        if (!pcb || udp_bind(pcb, IP_ADDR_ANY, port) != ERR_OK) {
            return NULL;
        }
        *datagrams = (struct datagrams){pcb, received, context};
        udp_recv(pcb, on_datagram, datagrams);
        return datagrams;
    }
    return NULL;
}

bool datagram_send(struct datagrams *datagrams, const struct endpoint *to, const uint8_t *bytes, size_t count) {
    struct pbuf *packet = pbuf_alloc(PBUF_TRANSPORT, (u16_t)count, PBUF_RAM);
    if (!packet) {
        return false;
    }
    memcpy(packet->payload, bytes, count);
    ip_addr_t address = IPADDR4_INIT(to->address);
    err_t error = udp_sendto(datagrams->pcb, packet, &address, to->port);
    pbuf_free(packet);
    return error == ERR_OK;
}

/* Socket 0 as an Ethernet card (MACRAW): ARP (RFC 826) and ICMP echo (RFC 792) are answered in software, while the chip,
 * which has no address, is silent. For ever; a line on the console for the first of each. */
#include "wiznet.h"

#define SOCKET 0u
#define LENGTH_BYTES 2u /* before each frame in the RX buffer, itself included (W5500 datasheet 5.2.3) */
#define LEAST_BYTES 60u
#define MOST_BYTES 1514u
#define ETHERNET_BYTES 14u
#define IP_BYTES 20u
#define SLEEP_US 1000000u

static const uint8_t own_mac[6] = OWN_MAC;
static uint8_t frame[MOST_BYTES];
static uint32_t answered_arp, answered_echo;

static uint32_t get16(const uint8_t *at) { return (uint32_t)(at[0] << 8 | at[1]); }

static uint32_t get32(const uint8_t *at) { return get16(at) << 16 | get16(at + 2); }

static void copy(uint8_t *to, const uint8_t *from, uint32_t count) {
    while (count--) {
        *to++ = *from++;
    }
}

static void put_address(uint8_t *to) {
    for (uint32_t index = 0; index < 4; index++) {
        to[index] = (uint8_t)(OWN_ADDRESS >> (24 - 8 * index));
    }
}

static void send_frame(uint32_t count) {
    socket_put(SOCKET, frame, count < LEAST_BYTES ? LEAST_BYTES : count);
    socket_command(SOCKET, CR_SEND);
    while (!(read8(Sn_IR(SOCKET)) & IR_SENDOK)) {
    }
    write8(Sn_IR(SOCKET), IR_SENDOK);
}

static void told_once(uint32_t count, const char *what) {
    if (count == 1) {
        put_text(what);
    }
}

static void answer_arp(void) {
    uint8_t *arp = frame + ETHERNET_BYTES;
    if (get16(arp + 6) != 1 || get32(arp + 24) != OWN_ADDRESS) {
        return;
    }
    arp[7] = 2;
    copy(arp + 18, arp + 8, 10);
    copy(arp + 8, own_mac, 6);
    put_address(arp + 14);
    copy(frame, arp + 18, 6);
    copy(frame + 6, own_mac, 6);
    send_frame(ETHERNET_BYTES + 28);
    told_once(++answered_arp, "ARP answered\n");
}

/* A request becomes a reply by its type and a checksum that is larger by as much as the type is smaller (RFC 1624). */
static void answer_echo(uint32_t count) {
    uint8_t *ip = frame + ETHERNET_BYTES, *icmp = ip + IP_BYTES;
    uint32_t length = get16(ip + 2);
    if (ip[0] != 0x45 || ip[9] != 1 || get32(ip + 16) != OWN_ADDRESS || icmp[0] != 8 ||
        ETHERNET_BYTES + length > count) {
        return;
    }
    uint32_t sum = get16(icmp + 2) + 0x0800;
    sum += sum >> 16;
    icmp[0] = 0;
    icmp[2] = (uint8_t)(sum >> 8);
    icmp[3] = (uint8_t)sum;
    copy(ip + 16, ip + 12, 4);
    put_address(ip + 12);
    copy(frame, frame + 6, 6);
    copy(frame + 6, own_mac, 6);
    send_frame(ETHERNET_BYTES + length);
    told_once(++answered_echo, "echo answered\n");
}

static void take_frame(void) {
    uint8_t length[LENGTH_BYTES];
    socket_get(SOCKET, length, LENGTH_BYTES);
    uint32_t count = get16(length) - LENGTH_BYTES;
    if (count > MOST_BYTES) {
        give_up("a frame has an impossible length");
    }
    socket_get(SOCKET, frame, count);
    socket_command(SOCKET, CR_RECV);
    if (get16(frame + 12) == 0x0806 && count >= ETHERNET_BYTES + 28) {
        answer_arp();
    } else if (get16(frame + 12) == 0x0800 && count >= ETHERNET_BYTES + IP_BYTES + 8) {
        answer_echo(count);
    }
}

int main(void) {
    static const uint8_t kib[CHIP_SOCKETS] = {CHIP_MEMORY_KIB};
    wiznet_start();
    wiznet_set_buffers(kib);
    wiznet_set_mac();
    wiznet_wait_for_link();
    if (socket_open(SOCKET, MR_MACRAW | MACRAW_MAC_FILTER, 0) != SR_MACRAW) {
        give_up("the socket does not open");
    }
    wiznet_interrupts_start();
    write8(Sn_IMR(SOCKET), IR_RECV);
    put_text("MACRAW is open.\n");
    for (;;) {
        wiznet_sleep(SLEEP_US);
        socket_take_interrupts(SOCKET);
        while (socket_received(SOCKET)) {
            take_frame();
        }
    }
}

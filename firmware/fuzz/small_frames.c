/* Any bytes as frames to the small stack, with an application that listens, echoes and ends,
 * or connects where the first byte is odd. Sums are mended so that
 * they get far, and acknowledgements count from what was sent last: 1 is all of it. Each frame is its size in two
 * bytes, the time before it in units of 16 ms, and its bytes. What goes out must be a frame. */
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "frame.h"
#include "ip.h"
#include "tcp.h"
#include "udp.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const struct stack_addresses own = {{2, 0, 0, 0x41, 0x57, 0x50}, 0x3201a8c0, 0x00ffffff, 0x0101a8c0};

static uint32_t sent_next;
static bool connects;

static void check(bool is_right) {
    if (!is_right) {
        abort();
    }
}

static void echo_datagram(void *context, uint32_t from, uint16_t from_port, const uint8_t *bytes, size_t count) {
    udp_write(*(struct udp_port **)context, from, from_port, bytes, count);
}

static void serve(void) {
    uint8_t carried[64] = {0};
    uint8_t events = tcp_take_events();
    if (events & TCP_OPENED && connects) {
        tcp_write(carried, sizeof carried);
    }
    for (uint16_t count;
         events & TCP_RECEIVED && tcp_room() >= sizeof carried && (count = tcp_read(carried, sizeof carried)) > 0;) {
        check(tcp_write(carried, count) == count);
        if (carried[0] == 'q') {
            tcp_abort();
        }
    }
    if (events & TCP_ENDED) {
        tcp_close();
    }
}

/* Frames for this station, whose sums are right. */
static void mend(size_t bytes) {
    memcpy(frame, own.mac, MAC_BYTES);
    frame_put_word(ETHERNET_TYPE, bytes % 8 ? TYPE_IP : TYPE_ARP);
    if (bytes < IP_PAYLOAD + 20 || bytes % 8 == 0) {
        return;
    }
    frame[IP_HEADER] = 0x45;
    frame_put_word(IP_LENGTH, (uint16_t)(bytes - ETHERNET_BYTES));
    frame_put_word(IP_FRAGMENT, 0);
    frame_put_address(IP_TO, own.address);
    frame_put_word(IP_CHECKSUM, 0);
    frame_put_word(IP_CHECKSUM, (uint16_t)~checksum_add(0, frame + IP_HEADER, IP_BYTES));
    if (frame[IP_PROTOCOL] == PROTOCOL_TCP) {
        frame_put_word(TCP_TO, connects ? tcp_own_port() : frame_word(TCP_TO));
        frame_put_long(TCP_ACKNOWLEDGED, frame_long(TCP_ACKNOWLEDGED) + sent_next - 1u);
    }
    size_t at = frame[IP_PROTOCOL] == PROTOCOL_TCP ? TCP_CHECKSUM : UDP_CHECKSUM, payload = bytes - IP_PAYLOAD;
    frame_put_word(at, 0);
    uint16_t sum = ip_pseudo_sum(frame[IP_PROTOCOL], payload);
    frame_put_word(at, (uint16_t)~checksum_add(sum, frame + IP_PAYLOAD, payload));
}

/* What stands in the frame goes out; of a segment it is noted where the next one begins. */
static void note(size_t bytes) {
    check(bytes <= SMALL_FRAME_BYTES);
    if (bytes >= TCP_OPTIONS && frame_word(ETHERNET_TYPE) == TYPE_IP && frame[IP_PROTOCOL] == PROTOCOL_TCP) {
        uint8_t flags = frame[TCP_FLAGS];
        uint32_t payload = (uint32_t)(bytes - IP_PAYLOAD - (size_t)(frame[TCP_OFFSET] >> 4) * 4u);
        sent_next = frame_long(TCP_SEQUENCE) + payload + (flags & 1u) + (flags >> 1 & 1u);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    uint32_t now_ms = 0;
    stack_begin(&own);
    tcp_begin();
    udp_begin();
    tcp_listen(7);
    struct udp_port *port = NULL;
    port = udp_bind(7, echo_datagram, &port);
    connects = count && bytes[0] & 1u;
    if (connects) {
        tcp_connect(own.gateway, 40000);
    }
    while (count >= 3) {
        size_t wanted = (size_t)(bytes[0] << 8 | bytes[1]) % SMALL_FRAME_BYTES, there = count - 3;
        size_t size = wanted < there ? wanted : there;
        now_ms += bytes[2] * 16u;
        memcpy(frame, bytes + 3, size);
        mend(size);
        note(stack_input(size, now_ms));
        serve();
        for (size_t sent, frames = 0; (sent = stack_output(now_ms)) > 0; frames++) {
            note(sent);
            check(frames < 100);
        }
        bytes += 3 + size;
        count -= 3 + size;
    }
    return 0;
}

/* Implementation of segment.h. */
#include "segment.h"

#include "checksum.h"
#include "frame.h"
#include "ip.h"

#define OPTION_END 0u
#define OPTION_NOTHING 1u
#define OPTION_MSS 2u
#define MSS_OPTION_BYTES 4u
#define DEFAULT_MSS 536u /* RFC 9293 3.7.1 */

static uint16_t mss_of(size_t end) {
    for (size_t at = TCP_OPTIONS; at < end;) {
        uint8_t kind = frame[at];
        size_t bytes = kind == OPTION_NOTHING ? 1 : at + 1 < end ? frame[at + 1] : 0;
        if (kind == OPTION_END || !bytes || bytes > end - at || (kind != OPTION_NOTHING && bytes < 2)) {
            break;
        }
        if (kind == OPTION_MSS && bytes == MSS_OPTION_BYTES) {
            return frame_word(at + 2);
        }
        at += bytes;
    }
    return DEFAULT_MSS;
}

bool segment_read(struct segment *segment, size_t bytes) {
    size_t header = (size_t)(frame[TCP_OFFSET] >> 4) * 4u;
    if (bytes < TCP_BYTES || header < TCP_BYTES || header > bytes ||
        checksum_add(ip_pseudo_sum(PROTOCOL_TCP, bytes), frame + IP_PAYLOAD, bytes) != UINT16_MAX) {
        return false;
    }
    segment->peer = frame_address(IP_FROM);
    segment->peer_port = frame_word(TCP_FROM);
    segment->own_port = frame_word(TCP_TO);
    segment->sequence = frame_long(TCP_SEQUENCE);
    segment->acknowledged = frame_long(TCP_ACKNOWLEDGED);
    segment->window = frame_word(TCP_WINDOW);
    segment->flags = frame[TCP_FLAGS];
    segment->payload_at = (uint16_t)(IP_PAYLOAD + header);
    segment->count = (uint16_t)(bytes - header);
    segment->mss = segment->flags & FLAG_SYN ? mss_of(IP_PAYLOAD + header) : 0;
    return true;
}

size_t segment_write(const struct outgoing *outgoing, uint16_t mss) {
    bool is_syn = outgoing->flags & FLAG_SYN;
    uint16_t header = (uint16_t)(TCP_BYTES + (is_syn ? MSS_OPTION_BYTES : 0u));
    size_t bytes = (size_t)header + outgoing->count;
    size_t all = ip_compose(outgoing->mac, outgoing->peer, PROTOCOL_TCP, bytes);
    frame_put_word(TCP_FROM, outgoing->own_port);
    frame_put_word(TCP_TO, outgoing->peer_port);
    frame_put_long(TCP_SEQUENCE, outgoing->sequence);
    frame_put_long(TCP_ACKNOWLEDGED, outgoing->acknowledged);
    frame[TCP_OFFSET] = (uint8_t)(header / 4u << 4);
    frame[TCP_FLAGS] = outgoing->flags;
    frame_put_word(TCP_WINDOW, outgoing->window);
    frame_put_word(TCP_CHECKSUM, 0);
    frame_put_word(TCP_URGENT, 0);
    if (is_syn) {
        frame_put_word(TCP_OPTIONS, OPTION_MSS << 8 | MSS_OPTION_BYTES);
        frame_put_word(TCP_OPTIONS + 2, mss);
    }
    uint16_t sum = checksum_add(ip_pseudo_sum(PROTOCOL_TCP, bytes), frame + IP_PAYLOAD, bytes);
    frame_put_word(TCP_CHECKSUM, (uint16_t)~sum);
    return all;
}

size_t segment_refuse(const struct segment *segment) {
    if (segment->flags & FLAG_RST) {
        return 0;
    }
    uint8_t mac[MAC_BYTES];
    memcpy(mac, frame + ETHERNET_FROM, MAC_BYTES);
    struct outgoing reset = {
        .mac = mac, .peer = segment->peer, .own_port = segment->own_port, .peer_port = segment->peer_port};
    if (segment->flags & FLAG_ACK) {
        reset.sequence = segment->acknowledged;
        reset.flags = FLAG_RST;
    } else {
        reset.acknowledged =
            segment->sequence + segment->count + !!(segment->flags & FLAG_SYN) + !!(segment->flags & FLAG_FIN);
        reset.flags = FLAG_RST | FLAG_ACK;
    }
    return segment_write(&reset, 0);
}

/* Segments that come in (RFC 9293 3.10.7), and what they do to the connection. */
#include "connection.h"

#include "segment.h"

/* A peer that asks for smaller segments would have the board send headers for ever. */
#define LEAST_MSS 64u
/* Who does not answer must not keep the only connection from others. */
#define QUIET_LIMIT_MS 60000u

/* The last segment of both sides is there. Who ended first may have to acknowledge the other's end once more. */
static void finish(uint32_t now_ms, bool ended_first) {
    tcp.phase = ended_first ? TIME_WAIT : CLOSED;
    connection_start_timer(now_ms);
}

static uint16_t mss_of(const struct segment *segment) {
    return segment->mss < LEAST_MSS ? LEAST_MSS : segment->mss < FRAME_MSS ? segment->mss : FRAME_MSS;
}

/* A connection that has been quiet for long makes room: its peer may be gone without a word. */
static void take_syn(const struct segment *segment, uint32_t now_ms) {
    if (tcp.phase != CLOSED && tcp.phase != TIME_WAIT && now_ms - tcp.heard_ms >= QUIET_LIMIT_MS) {
        connection_fail(TCP_RESET);
    }
    if ((tcp.phase != CLOSED && tcp.phase != TIME_WAIT) || tcp.events || tcp.must_reset) {
        return;
    }
    connection_begin(SYN_RECEIVED, segment->peer, segment->peer_port, segment->own_port);
    memcpy(tcp.mac, frame + ETHERNET_FROM, MAC_BYTES);
    tcp.has_mac = true;
    tcp.receive_next = segment->sequence + 1;
    tcp.window = segment->window;
    tcp.mss = mss_of(segment);
    tcp.heard_ms = now_ms;
}

static void open(void) {
    tcp.phase = OPEN;
    tcp.events |= TCP_OPENED;
    tcp.timer_runs = false;
    tcp.tries = 0;
}

/* RFC 9293 3.10.7.3, without opening from both sides at once. */
static size_t take_answer(const struct segment *segment) {
    bool is_acknowledged = segment->flags & FLAG_ACK && segment->acknowledged == tcp.next && tcp.has_mac;
    if (segment->flags & FLAG_ACK && !is_acknowledged) {
        return segment_refuse(segment);
    }
    if (segment->flags & FLAG_RST) {
        if (is_acknowledged) {
            connection_fail(TCP_REFUSED);
        }
        return 0;
    }
    if (is_acknowledged && segment->flags & FLAG_SYN) {
        tcp.unacknowledged = segment->acknowledged;
        tcp.receive_next = segment->sequence + 1;
        tcp.window = segment->window;
        tcp.mss = mss_of(segment);
        tcp.must_acknowledge = true;
        open();
    }
    return 0;
}

/* What the peer has of ours. False where it acknowledges what was never sent. */
static bool take_acknowledgement(const struct segment *segment, uint32_t now_ms) {
    uint32_t acknowledged = segment->acknowledged - tcp.unacknowledged;
    if (acknowledged > tcp.most - tcp.unacknowledged) {
        return (int32_t)acknowledged < 0; /* an old one */
    }
    if (!acknowledged && !tcp.window && !tcp.fin_is_sent) {
        tcp.next = tcp.unacknowledged; /* what asked for a window found none */
    }
    tcp.window = segment->window;
    if (!tcp.window || acknowledged) {
        tcp.tries = 0;
    }
    if (!acknowledged) {
        tcp.timer_runs = tcp.timer_runs && (connection_in_flight() || !tcp.window);
        return true;
    }
    uint16_t bytes = acknowledged < sent.count ? (uint16_t)acknowledged : sent.count;
    if (acknowledged > sent.count) {
        tcp.fin_is_acknowledged = true;
        tcp.left_ms = now_ms;
    }
    ring_drop(&sent, bytes);
    tcp.unacknowledged = segment->acknowledged;
    if ((int32_t)(tcp.next - tcp.unacknowledged) < 0) {
        tcp.next = tcp.unacknowledged;
        tcp.fin_is_sent = tcp.fin_is_acknowledged;
    }
    tcp.timer_runs = false;
    if (connection_in_flight()) {
        connection_start_timer(now_ms);
    }
    if (bytes && !tcp.is_reader_gone) {
        tcp.events |= TCP_SENT;
    }
    return true;
}

/* From where the next byte is expected on. What comes too early is dropped, as is what finds no room. */
static void take_payload(const struct segment *segment, uint32_t now_ms) {
    if (tcp.peer_has_ended) {
        return;
    }
    uint16_t known = (uint16_t)(tcp.receive_next - segment->sequence), count = (uint16_t)(segment->count - known);
    const uint8_t *bytes = frame + segment->payload_at + known;
    uint16_t taken = tcp.is_reader_gone ? count : ring_put(&received, bytes, count);
    tcp.receive_next += taken;
    if (count || segment->flags & FLAG_FIN) {
        tcp.must_acknowledge = true;
    }
    if (taken && !tcp.is_reader_gone) {
        tcp.events |= TCP_RECEIVED;
    }
    if (segment->flags & FLAG_FIN && taken == count) {
        tcp.receive_next++;
        tcp.peer_has_ended = true;
        if (!tcp.is_reader_gone) {
            tcp.events |= TCP_ENDED;
        }
        if (tcp.fin_is_acknowledged) {
            finish(now_ms, true);
        }
    }
}

/* Whether a segment belongs to what is expected next (RFC 9293 3.10.7.4); bytes that are known may stand before. */
static bool is_expected(const struct segment *segment) {
    uint32_t known = tcp.receive_next - segment->sequence;
    uint32_t length = (uint32_t)segment->count + !!(segment->flags & FLAG_FIN);
    return (int32_t)known >= 0 && (!known || length > known);
}

static void take_segment(const struct segment *segment, uint32_t now_ms) {
    if (segment->flags & FLAG_RST) {
        if (segment->sequence == tcp.receive_next) {
            connection_fail(tcp.phase == OPEN ? TCP_RESET : 0);
        }
        return;
    }
    if (tcp.phase == SYN_RECEIVED && segment->flags & FLAG_SYN && segment->sequence + 1 == tcp.receive_next) {
        tcp.timer_runs = false; /* the answer to it is sent again */
        return;
    }
    if (!is_expected(segment) || segment->flags & FLAG_SYN || !(segment->flags & FLAG_ACK)) {
        tcp.must_acknowledge = tcp.phase != SYN_RECEIVED;
        return;
    }
    tcp.heard_ms = now_ms;
    if (tcp.phase == SYN_RECEIVED) {
        if (segment->acknowledged != tcp.next) {
            return;
        }
        tcp.unacknowledged = tcp.next;
        tcp.window = segment->window;
        open();
    } else if (tcp.phase == OPEN && !take_acknowledgement(segment, now_ms)) {
        tcp.must_acknowledge = true;
        return;
    }
    if (tcp.phase == OPEN && tcp.fin_is_acknowledged && tcp.peer_has_ended) {
        finish(now_ms, false);
        return;
    }
    take_payload(segment, now_ms);
}

size_t tcp_input(size_t bytes, uint32_t now_ms) {
    struct segment segment;
    if (!segment_read(&segment, bytes)) {
        return 0;
    }
    bool is_own = tcp.phase != CLOSED && segment.own_port == tcp.own_port && segment.peer == tcp.peer &&
                  segment.peer_port == tcp.peer_port;
    bool is_syn = (segment.flags & (FLAG_SYN | FLAG_ACK | FLAG_RST)) == FLAG_SYN;
    if (is_own && tcp.phase == SYN_SENT) {
        return take_answer(&segment);
    }
    if (is_own && !(is_syn && tcp.phase == TIME_WAIT)) {
        take_segment(&segment, now_ms);
        return 0;
    }
    if (is_syn && connection_listens(segment.own_port)) {
        take_syn(&segment, now_ms);
        return 0;
    }
    return segment_refuse(&segment);
}

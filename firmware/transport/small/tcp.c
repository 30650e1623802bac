/* Implementation of tcp.h. What is sent stays in its ring until the peer has it. What is lost is sent again from there
 * on when the timer runs out, which is never sooner than the second below which RFC 6298 (2.4) rounds every other
 * estimate up in a local network. */
#include "tcp.h"

#include "arp.h"
#include "frame.h"
#include "ip.h"
#include "random.h"
#include "ring.h"
#include "segment.h"

#ifndef SMALL_RING_BYTES
#define SMALL_RING_BYTES 2920u /* two full segments: the peer acknowledges every second one at once */
#endif
#ifndef SMALL_LISTENERS
#define SMALL_LISTENERS 4u
#endif
#define FRAME_MSS (SMALL_FRAME_BYTES - TCP_OPTIONS)
#define OWN_MSS (FRAME_MSS < SMALL_RING_BYTES ? FRAME_MSS : SMALL_RING_BYTES)
/* A peer that asks for smaller segments would have the board send headers for ever. */
#define LEAST_MSS 64u
#define FIRST_TIMEOUT_MS 1000u
#define MOST_DOUBLINGS 4u
#define MOST_TRIES 8u
/* Shorter than RFC 9293 has them: who does not answer must not keep the only connection from others. */
#define MOST_HANDSHAKE_TRIES 3u
#define RESOLVE_LIMIT_MS 6000u
#define LEAVE_LIMIT_MS 5000u
#define TIME_WAIT_MS 2000u
#define QUIET_LIMIT_MS 60000u
#define FIRST_OWN_PORT 49152u

enum phase { CLOSED, SYN_SENT, SYN_RECEIVED, OPEN, TIME_WAIT };

static struct {
    enum phase phase;
    bool is_closing, fin_is_sent, fin_is_acknowledged, peer_has_ended, has_mac, timer_runs;
    bool must_acknowledge, must_reset, is_reader_gone;
    uint8_t events, tries, mac[MAC_BYTES];
    uint16_t own_port, peer_port, window, mss;
    uint32_t peer, unacknowledged, next, most, receive_next;
    /* When the timer was started, the peer last heard of, and the own end acknowledged. */
    uint32_t timer_ms, heard_ms, left_ms;
} tcp;
static uint8_t sent_memory[SMALL_RING_BYTES], received_memory[SMALL_RING_BYTES];
static struct ring sent = {sent_memory, SMALL_RING_BYTES, 0, 0};
static struct ring received = {received_memory, SMALL_RING_BYTES, 0, 0};
static uint16_t listeners[SMALL_LISTENERS], next_port = FIRST_OWN_PORT;

static uint16_t in_flight(void) { return (uint16_t)(tcp.next - tcp.unacknowledged); }

static void start_timer(uint32_t now_ms) {
    tcp.timer_runs = true;
    tcp.timer_ms = now_ms;
}

static uint32_t timeout_ms(void) {
    return (uint32_t)FIRST_TIMEOUT_MS << (tcp.tries < MOST_DOUBLINGS ? tcp.tries : MOST_DOUBLINGS);
}

static bool timer_is_over(uint32_t now_ms) { return tcp.timer_runs && now_ms - tcp.timer_ms >= timeout_ms(); }

static void fail(uint8_t event) {
    tcp.phase = CLOSED;
    tcp.timer_runs = false;
    if (!tcp.is_reader_gone) {
        tcp.events |= event;
    }
}

static void begin(enum phase phase, uint32_t peer, uint16_t peer_port, uint16_t own_port) {
    memset(&tcp, 0, sizeof tcp);
    ring_clear(&sent);
    ring_clear(&received);
    tcp.phase = phase;
    tcp.peer = peer;
    tcp.peer_port = peer_port;
    tcp.own_port = own_port;
    tcp.unacknowledged = tcp.next = tcp.most = random_word();
}

/* The last segment of both sides is there. Who ended first may have to acknowledge the other's end once more. */
static void finish(uint32_t now_ms, bool ended_first) {
    tcp.phase = ended_first ? TIME_WAIT : CLOSED;
    start_timer(now_ms);
}

static size_t write_segment(uint8_t flags, uint16_t count) {
    struct outgoing outgoing = {
        tcp.mac, tcp.peer, tcp.next, tcp.receive_next, tcp.own_port, tcp.peer_port, ring_room(&received), count, flags};
    tcp.must_acknowledge = false;
    return segment_write(&outgoing, OWN_MSS);
}

static size_t send_reset(void) {
    tcp.must_reset = false;
    tcp.phase = CLOSED;
    return tcp.has_mac ? write_segment(FLAG_RST | FLAG_ACK, 0) : 0;
}

static size_t send_handshake(uint32_t now_ms) {
    if (!tcp.has_mac && !arp_find(tcp.peer, tcp.mac)) {
        if (!tcp.timer_runs) {
            start_timer(now_ms);
        } else if (now_ms - tcp.timer_ms >= RESOLVE_LIMIT_MS) {
            fail(TCP_REFUSED);
        }
        return 0;
    }
    bool is_first = !tcp.has_mac || !tcp.timer_runs;
    tcp.has_mac = true;
    if (!is_first && !timer_is_over(now_ms)) {
        return 0;
    }
    if (!is_first && ++tcp.tries >= MOST_HANDSHAKE_TRIES) {
        fail(tcp.phase == SYN_SENT ? TCP_REFUSED : 0);
        return 0;
    }
    start_timer(now_ms);
    tcp.next = tcp.unacknowledged;
    size_t bytes = write_segment(tcp.phase == SYN_SENT ? FLAG_SYN : FLAG_SYN | FLAG_ACK, 0);
    tcp.most = ++tcp.next;
    return bytes;
}

/* What is on its way is taken for lost; false where that was too often. With nothing on its way it is time to ask
 * whether a window has opened (RFC 9293 3.8.6.1), which never ends while the peer answers. */
static bool go_back(uint32_t now_ms) {
    if (++tcp.tries > MOST_TRIES) {
        fail(TCP_RESET);
        return false;
    }
    tcp.next = tcp.unacknowledged;
    tcp.fin_is_sent = false;
    start_timer(now_ms);
    return true;
}

static size_t send_data(uint32_t now_ms) {
    bool is_over = timer_is_over(now_ms);
    if (is_over && !go_back(now_ms)) {
        return 0;
    }
    uint16_t flight = in_flight();
    uint16_t pending = tcp.fin_is_sent ? 0 : (uint16_t)(sent.count - flight);
    uint16_t room = tcp.window > flight ? (uint16_t)(tcp.window - flight) : is_over && pending ? 1 : 0;
    uint16_t count = pending < room ? pending : room;
    count = count < tcp.mss ? count : tcp.mss;
    bool ends = tcp.is_closing && !tcp.fin_is_sent && count == pending;
    if (!count && !ends) {
        if (pending && !tcp.timer_runs) {
            start_timer(now_ms);
        }
        return tcp.must_acknowledge ? write_segment(FLAG_ACK, 0) : 0;
    }
    ring_peek(&sent, flight, frame + SEGMENT_PAYLOAD, count);
    size_t bytes = write_segment((uint8_t)(FLAG_ACK | (count ? FLAG_PSH : 0) | (ends ? FLAG_FIN : 0)), count);
    tcp.next += count + ends;
    tcp.fin_is_sent = ends;
    tcp.most = (int32_t)(tcp.next - tcp.most) > 0 ? tcp.next : tcp.most;
    if (!tcp.timer_runs) {
        start_timer(now_ms);
    }
    return bytes;
}

static bool has_left(uint32_t now_ms) {
    return (tcp.phase == TIME_WAIT && now_ms - tcp.timer_ms >= TIME_WAIT_MS) ||
           (tcp.phase == OPEN && tcp.fin_is_acknowledged && now_ms - tcp.left_ms >= LEAVE_LIMIT_MS);
}

static size_t output(uint32_t now_ms) {
    if (tcp.must_reset) {
        return send_reset();
    }
    if (has_left(now_ms)) {
        tcp.phase = CLOSED;
    }
    switch (tcp.phase) {
    case SYN_SENT:
    case SYN_RECEIVED:
        return send_handshake(now_ms);
    case OPEN:
        return send_data(now_ms);
    case TIME_WAIT:
        return tcp.must_acknowledge ? write_segment(FLAG_ACK, 0) : 0;
    default:
        return 0;
    }
}

static uint32_t wait_ms(uint32_t now_ms) {
    if (tcp.phase == CLOSED) {
        return UINT32_MAX;
    }
    uint32_t limit_ms = tcp.phase == TIME_WAIT ? TIME_WAIT_MS : tcp.fin_is_acknowledged ? LEAVE_LIMIT_MS : timeout_ms();
    uint32_t gone_ms = now_ms - (tcp.fin_is_acknowledged && tcp.phase == OPEN ? tcp.left_ms : tcp.timer_ms);
    bool waits = tcp.timer_runs || tcp.fin_is_acknowledged;
    return !waits ? UINT32_MAX : gone_ms < limit_ms ? limit_ms - gone_ms : 0;
}

static bool listens(uint16_t port) {
    for (uint8_t n = 0; n < SMALL_LISTENERS; n++) {
        if (listeners[n] == port && port) {
            return true;
        }
    }
    return false;
}

static uint16_t mss_of(const struct segment *segment) {
    return segment->mss < LEAST_MSS ? LEAST_MSS : segment->mss < FRAME_MSS ? segment->mss : FRAME_MSS;
}

/* A connection that has been quiet for long makes room: its peer may be gone without a word. */
static void take_syn(const struct segment *segment, uint32_t now_ms) {
    if (tcp.phase != CLOSED && tcp.phase != TIME_WAIT && now_ms - tcp.heard_ms >= QUIET_LIMIT_MS) {
        fail(TCP_RESET);
    }
    if ((tcp.phase != CLOSED && tcp.phase != TIME_WAIT) || tcp.events || tcp.must_reset) {
        return;
    }
    begin(SYN_RECEIVED, segment->peer, segment->peer_port, segment->own_port);
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
            fail(TCP_REFUSED);
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
        tcp.timer_runs = tcp.timer_runs && (in_flight() || !tcp.window);
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
    if (in_flight()) {
        start_timer(now_ms);
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
            fail(tcp.phase == OPEN ? TCP_RESET : 0);
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

static size_t input(size_t bytes, uint32_t now_ms) {
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
    if (is_syn && listens(segment.own_port)) {
        take_syn(&segment, now_ms);
        return 0;
    }
    return segment_refuse(&segment);
}

static void add(void) {
    static const struct ip_protocol protocol = {PROTOCOL_TCP, input, output, wait_ms};
    ip_add(&protocol);
}

void tcp_begin(void) {
    memset(listeners, 0, sizeof listeners);
    begin(CLOSED, 0, 0, 0);
}

bool tcp_listen(uint16_t port) {
    if (listens(port)) {
        return false;
    }
    for (uint8_t n = 0; n < SMALL_LISTENERS; n++) {
        if (!listeners[n]) {
            listeners[n] = port;
            add();
            return true;
        }
    }
    return false;
}

bool tcp_connect(uint32_t address, uint16_t port) {
    if ((tcp.phase != CLOSED && tcp.phase != TIME_WAIT) || tcp.events || tcp.must_reset) {
        return false;
    }
    add();
    begin(SYN_SENT, address, port, next_port);
    next_port = next_port == UINT16_MAX ? FIRST_OWN_PORT : (uint16_t)(next_port + 1u);
    return true;
}

uint8_t tcp_take_events(void) {
    uint8_t events = tcp.events;
    tcp.events = 0;
    return events;
}

uint16_t tcp_own_port(void) { return tcp.own_port; }

void tcp_peer(uint32_t *address, uint16_t *port) {
    *address = tcp.peer;
    *port = tcp.peer_port;
}

/* A window that was too small for a segment is told to have grown as soon as one fits (RFC 9293 3.8.6.2.2). */
uint16_t tcp_read(uint8_t *bytes, size_t capacity) {
    uint16_t count = capacity < received.count ? (uint16_t)capacity : received.count;
    bool was_small = ring_room(&received) < OWN_MSS;
    if (bytes) {
        ring_peek(&received, 0, bytes, count);
    }
    ring_drop(&received, count);
    if (was_small && ring_room(&received) >= OWN_MSS && tcp.phase == OPEN) {
        tcp.must_acknowledge = true;
    }
    return count;
}

uint16_t tcp_write(const uint8_t *bytes, size_t count) {
    return tcp.is_closing || tcp.phase != OPEN ? 0 : ring_put(&sent, bytes, count);
}

uint16_t tcp_room(void) { return tcp.is_closing || tcp.phase != OPEN ? 0 : ring_room(&sent); }

void tcp_close(void) {
    tcp.is_reader_gone = tcp.is_closing = true;
    tcp.events = 0;
    ring_clear(&received);
    if (tcp.phase == SYN_SENT || tcp.phase == SYN_RECEIVED) {
        tcp.must_reset = true;
    }
}

void tcp_abort(void) {
    tcp.is_reader_gone = true;
    tcp.events = 0;
    tcp.must_reset = tcp.phase != CLOSED && tcp.phase != TIME_WAIT;
}

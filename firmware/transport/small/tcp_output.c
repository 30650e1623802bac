/* Segments that go out. What is sent stays in its ring until the peer has it. What is lost is sent again from there on
 * when the timer runs out, which is never sooner than the second below which RFC 6298 (2.4) rounds every other estimate
 * up in a local network. */
#include "connection.h"

#include "arp.h"
#include "segment.h"

#define FIRST_TIMEOUT_MS 1000u
#define MOST_DOUBLINGS 4u
#define MOST_TRIES 8u
/* Shorter than RFC 9293 has them: who does not answer must not keep the only connection from others. */
#define MOST_HANDSHAKE_TRIES 3u
#define RESOLVE_LIMIT_MS 6000u
#define LEAVE_LIMIT_MS 5000u
#define TIME_WAIT_MS 2000u

static uint32_t timeout_ms(void) {
    return (uint32_t)FIRST_TIMEOUT_MS << (tcp.tries < MOST_DOUBLINGS ? tcp.tries : MOST_DOUBLINGS);
}

static bool timer_is_over(uint32_t now_ms) { return tcp.timer_runs && now_ms - tcp.timer_ms >= timeout_ms(); }

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
            connection_start_timer(now_ms);
        } else if (now_ms - tcp.timer_ms >= RESOLVE_LIMIT_MS) {
            connection_fail(TCP_REFUSED);
        }
        return 0;
    }
    bool is_first = !tcp.has_mac || !tcp.timer_runs;
    tcp.has_mac = true;
    if (!is_first && !timer_is_over(now_ms)) {
        return 0;
    }
    if (!is_first && ++tcp.tries >= MOST_HANDSHAKE_TRIES) {
        connection_fail(tcp.phase == SYN_SENT ? TCP_REFUSED : 0);
        return 0;
    }
    connection_start_timer(now_ms);
    tcp.next = tcp.unacknowledged;
    size_t bytes = write_segment(tcp.phase == SYN_SENT ? FLAG_SYN : FLAG_SYN | FLAG_ACK, 0);
    tcp.most = ++tcp.next;
    return bytes;
}

/* What is on its way is taken for lost; false where that was too often. With nothing on its way it is time to ask
 * whether a window has opened (RFC 9293 3.8.6.1), which never ends while the peer answers. */
static bool go_back(uint32_t now_ms) {
    if (++tcp.tries > MOST_TRIES) {
        connection_fail(TCP_RESET);
        return false;
    }
    tcp.next = tcp.unacknowledged;
    tcp.fin_is_sent = false;
    connection_start_timer(now_ms);
    return true;
}

static size_t send_data(uint32_t now_ms) {
    bool is_over = timer_is_over(now_ms);
    if (is_over && !go_back(now_ms)) {
        return 0;
    }
    uint16_t flight = connection_in_flight();
    uint16_t pending = tcp.fin_is_sent ? 0 : (uint16_t)(sent.count - flight);
    uint16_t room = tcp.window > flight ? (uint16_t)(tcp.window - flight) : is_over && pending ? 1 : 0;
    uint16_t count = pending < room ? pending : room;
    count = count < tcp.mss ? count : tcp.mss;
    bool ends = tcp.is_closing && !tcp.fin_is_sent && count == pending;
    if (!count && !ends) {
        if (pending && !tcp.timer_runs) {
            connection_start_timer(now_ms);
        }
        return tcp.must_acknowledge ? write_segment(FLAG_ACK, 0) : 0;
    }
    ring_peek(&sent, flight, frame + SEGMENT_PAYLOAD, count);
    size_t bytes = write_segment((uint8_t)(FLAG_ACK | (count ? FLAG_PSH : 0) | (ends ? FLAG_FIN : 0)), count);
    tcp.next += count + ends;
    tcp.fin_is_sent = ends;
    tcp.most = (int32_t)(tcp.next - tcp.most) > 0 ? tcp.next : tcp.most;
    if (!tcp.timer_runs) {
        connection_start_timer(now_ms);
    }
    return bytes;
}

static bool has_left(uint32_t now_ms) {
    return (tcp.phase == TIME_WAIT && now_ms - tcp.timer_ms >= TIME_WAIT_MS) ||
           (tcp.phase == OPEN && tcp.fin_is_acknowledged && now_ms - tcp.left_ms >= LEAVE_LIMIT_MS);
}

size_t tcp_output(uint32_t now_ms) {
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

uint32_t tcp_wait_ms(uint32_t now_ms) {
    if (tcp.phase == CLOSED) {
        return UINT32_MAX;
    }
    uint32_t limit_ms = tcp.phase == TIME_WAIT ? TIME_WAIT_MS : tcp.fin_is_acknowledged ? LEAVE_LIMIT_MS : timeout_ms();
    uint32_t gone_ms = now_ms - (tcp.fin_is_acknowledged && tcp.phase == OPEN ? tcp.left_ms : tcp.timer_ms);
    bool waits = tcp.timer_runs || tcp.fin_is_acknowledged;
    return !waits ? UINT32_MAX : gone_ms < limit_ms ? limit_ms - gone_ms : 0;
}

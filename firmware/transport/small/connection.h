/* The one connection of the small stack's TCP, for the files that it is made of: tcp.c has it and what is asked of it,
 * tcp_input.c takes segments, tcp_output.c makes them. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include "frame.h"
#include "ring.h"
#include "tcp.h"

#ifndef SMALL_RING_BYTES
#define SMALL_RING_BYTES 2920u /* two full segments: the peer acknowledges every second one at once */
#endif
#define FRAME_MSS (SMALL_FRAME_BYTES - TCP_OPTIONS)
#define OWN_MSS (FRAME_MSS < SMALL_RING_BYTES ? FRAME_MSS : SMALL_RING_BYTES)

enum phase { CLOSED, SYN_SENT, SYN_RECEIVED, OPEN, TIME_WAIT };

struct connection {
    enum phase phase;
    bool is_closing, fin_is_sent, fin_is_acknowledged, peer_has_ended, has_mac, timer_runs;
    bool must_acknowledge, must_reset, is_reader_gone;
    uint8_t events, tries, mac[MAC_BYTES];
    uint16_t own_port, peer_port, window, mss;
    uint32_t peer, unacknowledged, next, most, receive_next;
    /* When the timer was started, the peer last heard of, and the own end acknowledged. */
    uint32_t timer_ms, heard_ms, left_ms;
};
extern struct connection tcp;
/* What the peer does not have yet, and what the application has not read yet. */
extern struct ring sent, received;

void connection_begin(enum phase phase, uint32_t peer, uint16_t peer_port, uint16_t own_port);
/* It is over, which the application hears of unless it has gone. */
void connection_fail(uint8_t event);
bool connection_listens(uint16_t port);

static inline uint16_t connection_in_flight(void) { return (uint16_t)(tcp.next - tcp.unacknowledged); }

static inline void connection_start_timer(uint32_t now_ms) {
    tcp.timer_runs = true;
    tcp.timer_ms = now_ms;
}

/* As a protocol of ip.h has them. */
size_t tcp_input(size_t bytes, uint32_t now_ms);
size_t tcp_output(uint32_t now_ms);
uint32_t tcp_wait_ms(uint32_t now_ms);

#endif

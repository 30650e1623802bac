/* TCP of the small stack against a peer that is written segment by segment (RFC 9293). */
#include "expect.h"
#include "peer.h"
#include "stack.h"
#include "tcp.h"

#define PORT 5000u
#define PEER_PORT 40000u
#define BEGIN 1000u /* the peer's first sequence number */

static uint32_t own;   /* the stack's next sequence number, as the peer knows it */
static uint32_t peer;  /* the peer's */
static uint32_t clock; /* milliseconds */

static struct peer_segment give(uint8_t flags, const char *text, size_t count, uint16_t window) {
    struct peer_segment segment = {PEER_PORT, PORT, window, peer, own, flags, flags & SYN ? 1460 : 0, text, count};
    struct bytes frame = peer_tcp(&segment), told = peer_gives(&frame, clock);
    struct peer_segment answer = {0};
    if (told.count) {
        EXPECT(peer_reads(&told, &answer));
    }
    return answer;
}

static void give_text(const char *text) {
    give(ACK | PSH, text, strlen(text), 4000);
    peer += (uint32_t)strlen(text);
}

/* What the stack sends now, its text copied; without flags for nothing. */
static char text_heard[2000];
static struct peer_segment hear(void) {
    struct bytes told = peer_hears(clock);
    struct peer_segment segment = {0};
    if (told.count) {
        EXPECT(peer_reads(&told, &segment));
        memcpy(text_heard, segment.text, segment.count);
        text_heard[segment.count] = 0;
    }
    return segment;
}

static void expect_nothing(void) { EXPECT_EQUAL(hear().flags, 0); }

static void expect_segment(uint8_t flags, const char *text) {
    struct peer_segment segment = hear();
    EXPECT_EQUAL(segment.flags, flags);
    EXPECT_EQUAL(segment.sequence, own);
    EXPECT_EQUAL(segment.acknowledged, peer);
    EXPECT_TEXT(text_heard, text);
    own += (uint32_t)(segment.count + !!(flags & SYN) + !!(flags & FIN));
}

static void open_from_peer(void) {
    peer_begin();
    clock = 100;
    peer = BEGIN;
    own = 0;
    EXPECT(tcp_listen(PORT));
    give(SYN, NULL, 0, 4000);
    peer++;
    struct peer_segment answer = hear();
    EXPECT_EQUAL(answer.flags, SYN | ACK);
    EXPECT_EQUAL(answer.acknowledged, peer);
    EXPECT_EQUAL(answer.mss, 1460);
    own = answer.sequence + 1;
    give(ACK, NULL, 0, 4000);
    EXPECT_EQUAL(tcp_take_events(), TCP_OPENED);
    expect_nothing();
}

static void bytes_go_both_ways(void) {
    open_from_peer();
    give_text("17");
    EXPECT_EQUAL(tcp_take_events(), TCP_RECEIVED);
    char text[8] = {0};
    EXPECT_EQUAL(tcp_read((uint8_t *)text, sizeof text), 2);
    EXPECT_TEXT(text, "17");
    EXPECT_EQUAL(tcp_write((const uint8_t *)"18", 2), 2);
    expect_segment(ACK | PSH, "18"); /* with the acknowledgement of what came */
    expect_nothing();
    give(ACK, NULL, 0, 4000);
    EXPECT_EQUAL(tcp_take_events(), TCP_SENT);
    expect_nothing();
}

static void an_application_that_says_nothing_has_what_came_acknowledged(void) {
    open_from_peer();
    give_text("ten bytes!");
    expect_segment(ACK, "");
    expect_nothing();
}

static void what_is_lost_is_sent_again_ever_later(void) {
    static const uint32_t waits_ms[] = {1000, 2000, 4000, 8000, 16000, 16000};
    open_from_peer();
    tcp_write((const uint8_t *)"lost", 4);
    expect_segment(ACK | PSH, "lost");
    for (unsigned n = 0; n < sizeof waits_ms / sizeof *waits_ms; n++) {
        EXPECT_EQUAL(stack_wait_ms(clock, 100000), waits_ms[n]);
        clock += waits_ms[n] - 1;
        expect_nothing();
        clock++;
        own -= 4;
        expect_segment(ACK | PSH, "lost");
    }
    give(ACK, NULL, 0, 4000);
    clock += 100000;
    expect_nothing();
}

static void a_peer_that_never_answers_is_given_up(void) {
    open_from_peer();
    tcp_write((const uint8_t *)"lost", 4);
    for (unsigned n = 0; n < 400; n++) {
        hear();
        clock += 1000;
    }
    EXPECT_EQUAL(tcp_take_events(), TCP_RESET);
    EXPECT_EQUAL(tcp_room(), 0);
}

static void after_a_loss_everything_behind_it_is_sent_again(void) {
    static uint8_t many[2920];
    open_from_peer();
    memset(many, 'x', sizeof many);
    EXPECT_EQUAL(tcp_write(many, sizeof many), 2920);
    EXPECT_EQUAL(tcp_write(many, 1), 0);
    EXPECT_EQUAL(hear().count, 1460);
    EXPECT_EQUAL(hear().count, 1460);
    expect_nothing();
    give(ACK, NULL, 0, 4000); /* neither came */
    clock += 1000;
    EXPECT_EQUAL(hear().sequence, own);
    EXPECT_EQUAL(hear().sequence, own + 1460);
    own += 2920; /* both had come after all */
    give(ACK, NULL, 0, 4000);
    EXPECT_EQUAL(tcp_room(), 2920);
    clock += 1000;
    expect_nothing();
}

static void half_of_what_was_sent_may_be_acknowledged(void) {
    open_from_peer();
    tcp_write((const uint8_t *)"abcdef", 6);
    hear();
    own += 3;
    give(ACK, NULL, 0, 4000);
    expect_nothing();
    clock += 1000;
    expect_segment(ACK | PSH, "def");
}

static void a_window_is_kept_and_asked_for_when_it_is_shut(void) {
    open_from_peer();
    give(ACK, NULL, 0, 3);
    tcp_write((const uint8_t *)"abcdef", 6);
    expect_segment(ACK | PSH, "abc");
    expect_nothing();
    give(ACK, NULL, 0, 0);
    expect_nothing();
    for (unsigned n = 0; n < 20; n++) { /* for as long as the peer answers */
        clock += 1000;
        expect_segment(ACK | PSH, "d");
        own--;
        give(ACK, NULL, 0, 0);
        expect_nothing();
    }
    give(ACK, NULL, 0, 100);
    expect_segment(ACK | PSH, "def");
}

static void what_comes_out_of_order_is_asked_for_again(void) {
    open_from_peer();
    peer += 2;
    give(ACK | PSH, "cd", 2, 4000);
    peer -= 2;
    EXPECT_EQUAL(tcp_take_events(), 0);
    expect_segment(ACK, "");
    give(ACK | PSH, "abcd", 4, 4000);
    give(ACK | PSH, "abcd", 4, 4000); /* and once more */
    peer += 2;
    give(ACK | PSH, "cdef", 4, 4000); /* half of it is known */
    peer += 4;
    char text[16] = {0};
    EXPECT_EQUAL(tcp_read((uint8_t *)text, sizeof text), 6);
    EXPECT_TEXT(text, "abcdef");
    expect_segment(ACK, "");
}

static void the_own_window_is_what_there_is_room_for(void) {
    static char many[1460];
    open_from_peer();
    memset(many, 'y', sizeof many);
    for (unsigned n = 0; n < 2; n++) {
        give(ACK | PSH, many, sizeof many, 4000);
        peer += 1460;
    }
    EXPECT_EQUAL(hear().window, 0);
    give(ACK | PSH, "z", 1, 4000); /* does not fit */
    struct peer_segment told = hear();
    EXPECT(told.window == 0 && told.acknowledged == peer);
    tcp_read(NULL, 100);
    expect_nothing(); /* not for so little */
    tcp_read(NULL, 2000);
    EXPECT_EQUAL(hear().window, 2100);
}

/* Several times around both rings. */
static void bytes_keep_their_order_for_as_long_as_they_come(void) {
    open_from_peer();
    uint8_t in = 0, out = 0, bytes[700], came[700];
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned n = 0; n < sizeof bytes; n++) {
            bytes[n] = in++;
        }
        give(ACK | PSH, (const char *)bytes, sizeof bytes, 4000);
        peer += sizeof bytes;
        EXPECT_EQUAL(tcp_read(came, sizeof came), sizeof came);
        EXPECT(!memcmp(came, bytes, sizeof bytes));
        EXPECT_EQUAL(tcp_write(came, sizeof came), sizeof came);
        struct peer_segment echoed = hear();
        EXPECT_EQUAL(echoed.count, sizeof came);
        for (unsigned n = 0; n < echoed.count; n++) {
            EXPECT_EQUAL((uint8_t)text_heard[n], out++);
        }
        own += sizeof came;
        give(ACK, NULL, 0, 4000);
    }
}

static void what_was_never_sent_cannot_be_acknowledged(void) {
    open_from_peer();
    own += 100;
    give(ACK | PSH, "ab", 2, 4000);
    own -= 100;
    EXPECT_EQUAL(tcp_take_events(), 0);
    expect_segment(ACK, "");
}

static void the_peer_may_end_first(void) {
    open_from_peer();
    give(ACK | FIN | PSH, "end", 3, 4000);
    peer += 4;
    EXPECT_EQUAL(tcp_take_events(), TCP_RECEIVED | TCP_ENDED);
    tcp_write((const uint8_t *)"last", 4);
    tcp_close();
    expect_segment(ACK | PSH | FIN, "last");
    give(ACK, NULL, 0, 4000);
    clock++;
    expect_nothing();
    EXPECT(tcp_connect(0x0101a8c0, 9)); /* there is nobody any more */
}

static void the_stack_may_end_first(void) {
    open_from_peer();
    tcp_close();
    expect_segment(ACK | FIN, "");
    give(ACK, NULL, 0, 4000);
    give_text("still"); /* nobody reads it */
    EXPECT_EQUAL(tcp_take_events(), 0);
    expect_segment(ACK, "");
    give(ACK | FIN, NULL, 0, 4000);
    peer++;
    expect_segment(ACK, "");
    peer--;
    give(ACK | FIN, NULL, 0, 4000); /* that was lost */
    peer++;
    expect_segment(ACK, "");
}

static void a_lost_end_is_sent_again(void) {
    open_from_peer();
    tcp_write((const uint8_t *)"x", 1);
    tcp_close();
    expect_segment(ACK | PSH | FIN, "x");
    clock += 1000;
    own -= 2;
    expect_segment(ACK | PSH | FIN, "x");
}

static void a_peer_that_does_not_end_does_not_keep_the_connection(void) {
    open_from_peer();
    tcp_close();
    hear();
    own++;
    give(ACK, NULL, 0, 4000);
    for (unsigned n = 0; n < 60; n++) {
        clock += 100;
        give_text("more");
        hear();
    }
    EXPECT(tcp_connect(0x0101a8c0, 9));
}

static void a_second_connection_has_to_wait(void) {
    open_from_peer();
    struct peer_segment other = {PEER_PORT + 1, PORT, 4000, 77, 0, SYN, 1460, NULL, 0};
    struct bytes frame = peer_tcp(&other);
    EXPECT_EQUAL(peer_gives(&frame, clock).count, 0);
    expect_nothing();
    clock += 60000; /* the first one may be gone without a word */
    peer_gives(&frame, clock);
    EXPECT_EQUAL(tcp_take_events(), TCP_RESET);
    peer_gives(&frame, clock);
    EXPECT_EQUAL(hear().flags, SYN | ACK);
}

static void nobody_listens_is_said_at_once(void) {
    peer_begin();
    tcp_listen(PORT);
    struct peer_segment segment = {PEER_PORT, PORT + 1, 4000, 77, 0, SYN, 1460, NULL, 0};
    struct bytes frame = peer_tcp(&segment), told = peer_gives(&frame, 0);
    EXPECT(peer_reads(&told, &segment));
    EXPECT_EQUAL(segment.flags, RST | ACK);
    EXPECT_EQUAL(segment.acknowledged, 78);
    segment = (struct peer_segment){PEER_PORT, PORT, 4000, 77, 4711, ACK, 0, NULL, 0};
    frame = peer_tcp(&segment);
    told = peer_gives(&frame, 0);
    EXPECT(peer_reads(&told, &segment));
    EXPECT_EQUAL(segment.flags, RST);
    EXPECT_EQUAL(segment.sequence, 4711);
    segment = (struct peer_segment){PEER_PORT, PORT, 4000, 77, 4711, RST, 0, NULL, 0};
    frame = peer_tcp(&segment);
    EXPECT_EQUAL(peer_gives(&frame, 0).count, 0);
}

static void a_reset_counts_only_where_it_is_expected(void) {
    open_from_peer();
    peer++;
    give(RST, NULL, 0, 0);
    EXPECT_EQUAL(tcp_take_events(), 0);
    peer--;
    give(RST, NULL, 0, 0);
    EXPECT_EQUAL(tcp_take_events(), TCP_RESET);
}

static void a_segment_with_a_wrong_sum_is_none(void) {
    open_from_peer();
    struct peer_segment segment = {PEER_PORT, PORT, 4000, peer, own, ACK | PSH, 0, "ab", 2};
    struct bytes frame = peer_tcp(&segment);
    frame.at[54] ^= 1;
    peer_gives(&frame, clock);
    EXPECT_EQUAL(tcp_take_events(), 0);
    expect_nothing();
}

static void an_abort_is_told_to_the_peer(void) {
    open_from_peer();
    tcp_abort();
    expect_segment(ACK | RST, "");
    expect_nothing();
}

static void a_connection_is_opened_from_here(void) {
    peer_begin();
    clock = 5;
    peer = BEGIN;
    EXPECT(tcp_connect(0x0101a8c0, PEER_PORT));
    EXPECT(!tcp_connect(0x0101a8c0, PEER_PORT));
    EXPECT_EQUAL(peer_hears(clock).count, 42); /* ARP */
    struct bytes answer = peer_arp(2, peer_ip, own_ip);
    peer_gives(&answer, clock);
    struct bytes told = peer_hears(clock);
    struct peer_segment syn;
    EXPECT(peer_reads(&told, &syn));
    EXPECT_EQUAL(syn.flags, SYN);
    EXPECT_EQUAL(syn.mss, 1460);
    struct peer_segment segment = {PEER_PORT, syn.from_port, 4000, peer, syn.sequence + 1, SYN | ACK, 100, NULL, 0};
    answer = peer_tcp(&segment);
    EXPECT_EQUAL(peer_gives(&answer, clock).count, 0);
    EXPECT_EQUAL(tcp_take_events(), TCP_OPENED);
    struct peer_segment ack = hear();
    EXPECT(ack.flags == ACK && ack.acknowledged == peer + 1);
    static uint8_t many[150];
    tcp_write(many, sizeof many);
    EXPECT_EQUAL(hear().count, 100); /* the peer's largest segment */
}

static void a_peer_cannot_have_every_byte_in_a_segment_of_its_own(void) {
    static uint8_t many[640];
    peer_begin();
    tcp_listen(PORT);
    struct peer_segment syn = {PEER_PORT, PORT, 4000, BEGIN, 0, SYN, 1, NULL, 0};
    struct bytes frame = peer_tcp(&syn);
    peer_gives(&frame, clock);
    struct peer_segment answer = hear();
    peer = BEGIN + 1;
    own = answer.sequence + 1;
    give(ACK, NULL, 0, 4000);
    tcp_write(many, sizeof many);
    unsigned segments = 0;
    while (hear().flags) {
        segments++;
    }
    EXPECT_EQUAL(segments, 10);
}

static void a_connection_that_nobody_takes_is_refused(void) {
    peer_begin();
    clock = 0;
    tcp_connect(0x0101a8c0, PEER_PORT);
    for (; clock < 8000; clock += 100) { /* no station answers ARP */
        peer_hears(clock);
    }
    EXPECT_EQUAL(tcp_take_events(), TCP_REFUSED);
    EXPECT(tcp_connect(0x0101a8c0, PEER_PORT));
    struct bytes answer = peer_arp(2, peer_ip, own_ip);
    peer_hears(clock);
    peer_gives(&answer, clock);
    unsigned asked = 0;
    struct peer_segment syn = {0};
    for (uint32_t from = clock; clock < from + 20000; clock += 100) { /* nothing answers the SYN */
        struct peer_segment segment = hear();
        asked += segment.flags == SYN;
        syn = segment.flags ? segment : syn;
    }
    EXPECT_EQUAL(asked, 3);
    EXPECT_EQUAL(tcp_take_events(), TCP_REFUSED);
    tcp_connect(0x0101a8c0, PEER_PORT);
    syn = hear();
    struct peer_segment segment = {PEER_PORT, syn.from_port, 0, 0, syn.sequence + 1, RST | ACK, 0, NULL, 0};
    answer = peer_tcp(&segment);
    peer_gives(&answer, clock);
    EXPECT_EQUAL(tcp_take_events(), TCP_REFUSED);
}

static void half_an_opening_does_not_keep_others_out(void) {
    peer_begin();
    clock = 0;
    tcp_listen(PORT);
    peer = BEGIN;
    own = 0;
    give(SYN, NULL, 0, 4000);
    for (; clock < 10000; clock += 100) {
        hear();
    }
    EXPECT_EQUAL(tcp_take_events(), 0);
    give(SYN, NULL, 0, 4000);
    EXPECT_EQUAL(hear().flags, SYN | ACK);
}

int main(void) {
    bytes_go_both_ways();
    an_application_that_says_nothing_has_what_came_acknowledged();
    what_is_lost_is_sent_again_ever_later();
    a_peer_that_never_answers_is_given_up();
    after_a_loss_everything_behind_it_is_sent_again();
    half_of_what_was_sent_may_be_acknowledged();
    a_window_is_kept_and_asked_for_when_it_is_shut();
    what_comes_out_of_order_is_asked_for_again();
    the_own_window_is_what_there_is_room_for();
    bytes_keep_their_order_for_as_long_as_they_come();
    what_was_never_sent_cannot_be_acknowledged();
    the_peer_may_end_first();
    the_stack_may_end_first();
    a_lost_end_is_sent_again();
    a_peer_that_does_not_end_does_not_keep_the_connection();
    a_second_connection_has_to_wait();
    nobody_listens_is_said_at_once();
    a_reset_counts_only_where_it_is_expected();
    a_segment_with_a_wrong_sum_is_none();
    an_abort_is_told_to_the_peer();
    a_connection_is_opened_from_here();
    a_peer_cannot_have_every_byte_in_a_segment_of_its_own();
    a_connection_that_nobody_takes_is_refused();
    half_an_opening_does_not_keep_others_out();
    return expect_result();
}

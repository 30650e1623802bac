/* ARP, IP, ICMP and UDP of the small stack, frame by frame, and its checksums against the RFCs' own examples. */
#include "checksum.h"
#include "expect.h"
#include "peer.h"
#include "stack.h"
#include "udp.h"

/* RFC 1071, section 3. */
static void the_sum_is_that_of_the_rfc(void) {
    static const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
    EXPECT_EQUAL(checksum_add(0, bytes, sizeof bytes), 0xddf2);
    EXPECT_EQUAL(checksum_add(checksum_add(0, bytes, 4), bytes + 4, 4), 0xddf2);
    EXPECT_EQUAL(checksum_add(0, bytes, 3), 0xf201);
}

/* RFC 1624, section 4: where the method of RFC 1141 gives ffff. */
static void a_changed_word_gives_the_sum_of_the_rfc(void) {
    EXPECT_EQUAL(checksum_adjusted(0xdd2f, 0x5555, 0x3285), 0x0000);
}

static void an_adjusted_sum_is_the_one_computed_anew(void) {
    uint32_t random = 1;
    for (unsigned n = 0; n < 2000; n++) {
        uint8_t bytes[20];
        for (unsigned at = 0; at < sizeof bytes; at++) {
            random = random * 1664525u + 1013904223u;
            bytes[at] = (uint8_t)(random >> 24);
        }
        uint16_t before = (uint16_t)~checksum_add(0, bytes, sizeof bytes);
        uint16_t was = (uint16_t)(bytes[8] << 8 | bytes[9]);
        bytes[8] = (uint8_t)(random >> 8);
        bytes[9] = (uint8_t)n;
        uint16_t adjusted = checksum_adjusted(before, was, (uint16_t)(bytes[8] << 8 | bytes[9]));
        EXPECT_EQUAL(adjusted, (uint16_t)~checksum_add(0, bytes, sizeof bytes));
    }
}

static void who_asks_for_the_address_is_told(void) {
    peer_begin();
    struct bytes asked = peer_arp(1, peer_ip, own_ip), told = peer_gives(&asked, 0);
    EXPECT_EQUAL(told.count, 42);
    EXPECT(!memcmp(told.at, peer_mac, 6) && !memcmp(told.at + 6, own_mac, 6));
    EXPECT_EQUAL(told.at[21], 2);
    EXPECT(!memcmp(told.at + 22, own_mac, 6) && !memcmp(told.at + 28, own_ip, 4));
    EXPECT(!memcmp(told.at + 32, peer_mac, 6) && !memcmp(told.at + 38, peer_ip, 4));
}

static void who_asks_for_another_address_is_not(void) {
    peer_begin();
    struct bytes asked = peer_arp(1, peer_ip, far_ip);
    EXPECT_EQUAL(peer_gives(&asked, 0).count, 0);
    asked = peer_arp(2, peer_ip, own_ip);
    EXPECT_EQUAL(peer_gives(&asked, 0).count, 0);
    asked = peer_arp(1, peer_ip, own_ip);
    asked.at[17] = 8; /* of Ethernet that is none */
    EXPECT_EQUAL(peer_gives(&asked, 0).count, 0);
    asked = peer_arp(1, peer_ip, own_ip);
    asked.count = 41;
    EXPECT_EQUAL(peer_gives(&asked, 0).count, 0);
}

static void an_announcement_asks_for_the_own_address(void) {
    peer_begin();
    EXPECT_EQUAL(peer_hears(0).count, 0);
    stack_announce();
    struct bytes told = peer_hears(0);
    EXPECT_EQUAL(told.count, 42);
    EXPECT(told.at[0] == 0xff && !memcmp(told.at + 28, own_ip, 4) && !memcmp(told.at + 38, own_ip, 4));
    EXPECT_EQUAL(peer_hears(0).count, 0);
}

static void a_ping_comes_back_with_what_it_brought(void) {
    static const size_t sizes[] = {0, 1, 17, 56, 1300, 1472};
    peer_begin();
    for (unsigned n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        struct bytes asked = peer_echo(sizes[n]), told = peer_gives(&asked, 0);
        EXPECT_EQUAL(told.count, 42 + sizes[n]); /* without the padding of a short frame */
        EXPECT(!memcmp(told.at, peer_mac, 6) && !memcmp(told.at + 6, own_mac, 6));
        EXPECT(!memcmp(told.at + 26, own_ip, 4) && !memcmp(told.at + 30, peer_ip, 4));
        EXPECT_EQUAL(told.at[22], 64);
        EXPECT_EQUAL(peer_ip_sum(&told), 0);
        EXPECT_EQUAL(told.at[34], 0);
        EXPECT_EQUAL(peer_payload_sum(&told), 0);
        EXPECT(!memcmp(told.at + 38, asked.at + 38, 4 + sizes[n]));
    }
}

static void a_payload_that_was_damaged_comes_back_as_damaged(void) {
    peer_begin();
    struct bytes asked = peer_echo(100);
    asked.at[80] ^= 1;
    struct bytes told = peer_gives(&asked, 0);
    EXPECT_EQUAL(told.count, 142);
    EXPECT(peer_payload_sum(&told) != 0);
}

static void expect_silence(struct bytes asked, size_t at, uint8_t value, bool mends_sum) {
    asked.at[at] = value;
    if (mends_sum) {
        asked.at[24] = asked.at[25] = 0;
        uint16_t sum = peer_ip_sum(&asked);
        asked.at[24] = (uint8_t)(sum >> 8);
        asked.at[25] = (uint8_t)sum;
    }
    EXPECT_EQUAL(peer_gives(&asked, 0).count, 0);
}

static void what_is_not_in_order_is_not_answered(void) {
    peer_begin();
    struct bytes asked = peer_echo(56);
    expect_silence(asked, 22, 99, false);  /* a wrong sum */
    expect_silence(asked, 14, 0x46, true); /* options */
    expect_silence(asked, 14, 0x65, true); /* IPv6 */
    expect_silence(asked, 20, 0x20, true); /* a fragment, and a later one */
    expect_silence(asked, 21, 0x08, true);
    expect_silence(asked, 17, 19, true);  /* shorter than its header */
    expect_silence(asked, 16, 2, true);   /* longer than the frame */
    expect_silence(asked, 33, 255, true); /* to all stations */
    expect_silence(asked, 33, 51, true);  /* to another */
    expect_silence(asked, 29, 255, true); /* from all stations */
    expect_silence(asked, 26, 224, true); /* from a group */
    expect_silence(asked, 6, 3, false);   /* from a group of Ethernet */
    expect_silence(asked, 34, 0, false);  /* an answer */
    expect_silence(asked, 23, 89, true);  /* a protocol that nobody has */
    asked.count = 33;
    EXPECT_EQUAL(peer_gives(&asked, 0).count, 0);
    asked.count = SIZE_MAX;
    EXPECT_EQUAL(stack_input(SIZE_MAX, 0), 0);
}

static struct {
    unsigned calls;
    uint16_t port;
    char text[64];
} heard;

static void hear(void *context, uint32_t from, uint16_t from_port, const uint8_t *bytes, size_t count) {
    EXPECT(context == &heard && !memcmp(&from, peer_ip, 4));
    heard.calls++;
    heard.port = from_port;
    memcpy(heard.text, bytes, count);
    heard.text[count] = 0;
}

static void a_datagram_reaches_the_port_that_it_is_for(void) {
    peer_begin();
    memset(&heard, 0, sizeof heard);
    EXPECT(udp_bind(7, hear, &heard) != NULL);
    struct bytes asked = peer_datagram(4000, 7, "hello");
    peer_gives(&asked, 0);
    EXPECT_EQUAL(heard.calls, 1);
    EXPECT_EQUAL(heard.port, 4000);
    EXPECT_TEXT(heard.text, "hello");
    asked.at[45] ^= 1; /* a wrong sum */
    peer_gives(&asked, 0);
    asked = peer_datagram(4000, 8, "hello");
    peer_gives(&asked, 0);
    asked = peer_datagram(4000, 7, "hello");
    asked.at[39] = 200; /* longer than its packet */
    peer_gives(&asked, 0);
    EXPECT_EQUAL(heard.calls, 1);
    asked = peer_datagram(4000, 7, "no sum");
    asked.at[40] = asked.at[41] = 0;
    peer_gives(&asked, 0);
    EXPECT_EQUAL(heard.calls, 2);
}

static struct bytes written(const struct udp_port *port, const uint8_t to[4], const char *text) {
    uint32_t address;
    memcpy(&address, to, 4);
    struct bytes bytes = {.count = udp_write(port, address, 5683, (const uint8_t *)text, strlen(text))};
    extern uint8_t frame_memory[];
    memcpy(bytes.at, frame_memory + 2, bytes.count);
    return bytes;
}

static void a_datagram_waits_until_it_is_known_who_is_to_get_it(void) {
    peer_begin();
    const struct udp_port *port = udp_bind(1000, hear, &heard);
    EXPECT_EQUAL(written(port, far_ip, "hi").count, 0);
    struct bytes asked = peer_hears(0);
    EXPECT_EQUAL(asked.count, 42);
    EXPECT(asked.at[21] == 1 && !memcmp(asked.at + 38, peer_ip, 4)); /* the router is asked for */
    EXPECT_EQUAL(peer_hears(999).count, 0);
    EXPECT_EQUAL(stack_wait_ms(400, 5000), 600);
    EXPECT_EQUAL(peer_hears(1000).count, 42);
    struct bytes answer = peer_arp(2, peer_ip, own_ip);
    peer_gives(&answer, 1001);
    EXPECT_EQUAL(peer_hears(3000).count, 0);
    struct bytes sent = written(port, far_ip, "hi");
    EXPECT_EQUAL(sent.count, 44);
    EXPECT(!memcmp(sent.at, peer_mac, 6) && !memcmp(sent.at + 30, far_ip, 4));
    EXPECT_EQUAL(peer_ip_sum(&sent), 0);
    EXPECT_EQUAL(peer_payload_sum(&sent), 0);
    EXPECT(!memcmp(sent.at + 42, "hi", 2));
}

static void nobody_is_asked_for_ever(void) {
    peer_begin();
    const struct udp_port *port = udp_bind(1000, hear, &heard);
    written(port, far_ip, "hi");
    unsigned asked = 0;
    for (uint32_t now_ms = 0; now_ms < 60000; now_ms += 100) {
        asked += peer_hears(now_ms).count > 0;
    }
    EXPECT_EQUAL(asked, 5);
    EXPECT_EQUAL(stack_wait_ms(60000, 5000), 5000);
}

/* 0 in its place says that there is no sum (RFC 768). */
static void a_sum_that_comes_out_as_0_is_written_as_its_other_zero(void) {
    static const uint8_t all[4] = {192, 168, 1, 255};
    peer_begin();
    const struct udp_port *port = udp_bind(1000, hear, &heard);
    unsigned other_zeros = 0;
    for (unsigned word = 0x0101; word < 0x10000; word += 1) {
        const char text[3] = {(char)(word >> 8), (char)word, 0};
        if (!text[0] || !text[1]) {
            continue;
        }
        struct bytes sent = written(port, all, text);
        other_zeros += sent.at[40] == 0xff && sent.at[41] == 0xff;
        EXPECT(sent.at[40] || sent.at[41]);
    }
    EXPECT_EQUAL(other_zeros, 1);
}

static void a_datagram_to_all_stations_needs_no_answer(void) {
    static const uint8_t all[4] = {192, 168, 1, 255};
    peer_begin();
    struct bytes sent = written(udp_bind(1000, hear, &heard), all, "all");
    EXPECT_EQUAL(sent.count, 45);
    EXPECT(sent.at[0] == 0xff && sent.at[5] == 0xff);
}

int main(void) {
    the_sum_is_that_of_the_rfc();
    a_changed_word_gives_the_sum_of_the_rfc();
    an_adjusted_sum_is_the_one_computed_anew();
    who_asks_for_the_address_is_told();
    who_asks_for_another_address_is_not();
    an_announcement_asks_for_the_own_address();
    a_ping_comes_back_with_what_it_brought();
    a_payload_that_was_damaged_comes_back_as_damaged();
    what_is_not_in_order_is_not_answered();
    a_datagram_reaches_the_port_that_it_is_for();
    a_datagram_waits_until_it_is_known_who_is_to_get_it();
    nobody_is_asked_for_ever();
    a_sum_that_comes_out_as_0_is_written_as_its_other_zero();
    a_datagram_to_all_stations_needs_no_answer();
    return expect_result();
}

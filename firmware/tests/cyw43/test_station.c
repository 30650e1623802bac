/* A network that is joined, that refuses, that goes and comes back. */
#include "expect.h"
#include "radio_under_test.h"

#define AUTHENTICATED 3
#define DEAUTHENTICATED_BY_PEER 6
#define LINK 16
#define KEYS 46
#define JOIN_ENDS 0

static void told(uint32_t kind, uint32_t status, uint32_t reason, uint16_t flags) {
    radio_gives_event(&radio, kind, status, reason, flags);
    look();
}

static uint32_t number(uint32_t command) {
    const struct radio_request *request = radio_asked(&radio, NULL, command);
    return request ? request->content[0] | (uint32_t)request->content[1] << 8 | (uint32_t)request->content[2] << 16
                   : 999;
}

static void each_security_is_asked_for_as_it_is(void) {
    static const struct {
        const struct cyw43_network *network;
        uint32_t ciphers, authentication, keys;
    } cases[] = {{&guests, 0, 0, 0}, {&home, 4, 0, 0x80}, {&safe, 4, 3, 0x40000}};
    for (unsigned n = 0; n < 3; n++) {
        start_radio(RADIO_WELL);
        cyw43_join(&cyw43, cases[n].network);
        EXPECT_EQUAL(number(134), cases[n].ciphers);
        EXPECT_EQUAL(number(22), cases[n].authentication);
        EXPECT_EQUAL(number(165), cases[n].keys);
        const struct radio_request *last = &radio.requests[radio.request_count - 1];
        EXPECT_EQUAL(last->command, 26);
        EXPECT_EQUAL(last->content[0], strlen(cases[n].network->name));
        EXPECT(!memcmp(last->content + 4, cases[n].network->name, strlen(cases[n].network->name)));
        EXPECT_EQUAL(cyw43_link(&cyw43), CYW43_LINK_JOINING);
        EXPECT_EQUAL(radio.mistakes, 0);
    }
}

static void the_passphrase_goes_where_the_security_has_it(void) {
    start_radio(RADIO_WELL);
    cyw43_join(&cyw43, &home);
    const struct radio_request *passphrase = radio_asked(&radio, NULL, 268);
    EXPECT(passphrase && passphrase->bytes == 68 && !memcmp(passphrase->content, "\x0d\0\x01\0correct horse", 17));
    EXPECT(!radio_asked(&radio, "sae_password", 263));
    start_radio(RADIO_WELL);
    cyw43_join(&cyw43, &safe);
    const struct radio_request *password = radio_asked(&radio, "sae_password", 263);
    EXPECT(password && !memcmp(password->content, "\x0e\0battery staple", 16));
    EXPECT(!radio_asked(&radio, NULL, 268));
    start_radio(RADIO_WELL);
    cyw43_join(&cyw43, &guests);
    EXPECT(!radio_asked(&radio, NULL, 268) && !radio_asked(&radio, "sae_password", 263));
}

static void it_is_up_when_link_and_keys_are_there_in_any_order(void) {
    start_radio(RADIO_WELL);
    cyw43_join(&cyw43, &home);
    told(AUTHENTICATED, 0, 0, 0);
    told(LINK, 0, 0, 1);
    EXPECT_EQUAL(cyw43_link(&cyw43), CYW43_LINK_JOINING);
    told(KEYS, 6, 0, 0);
    EXPECT_EQUAL(cyw43_link(&cyw43), CYW43_LINK_UP);
    EXPECT_EQUAL(cyw43_rssi_dbm(&cyw43), -47);
    start_radio(RADIO_WELL);
    cyw43_join(&cyw43, &home);
    told(KEYS, 6, 0, 0);
    told(LINK, 0, 0, 1);
    EXPECT_EQUAL(cyw43_link(&cyw43), CYW43_LINK_UP);
    start_radio(RADIO_WELL);
    cyw43_join(&cyw43, &guests);
    told(LINK, 0, 0, 1);
    EXPECT_EQUAL(cyw43_link(&cyw43), CYW43_LINK_UP);
}

static void each_refusal_has_its_cause(void) {
    static const struct {
        const struct cyw43_network *network;
        uint32_t kind, status, reason;
        enum cyw43_link link;
    } cases[] = {
        {&home, JOIN_ENDS, 3, 0, CYW43_LINK_NOT_FOUND},    {&home, JOIN_ENDS, 1, 0, CYW43_LINK_REFUSED},
        {&home, KEYS, 4, 15, CYW43_LINK_WRONG_KEY},        {&home, KEYS, 8, 15, CYW43_LINK_WRONG_KEY},
        {&home, KEYS, 10, 15, CYW43_LINK_WRONG_KEY},       {&home, DEAUTHENTICATED_BY_PEER, 0, 2, CYW43_LINK_WRONG_KEY},
        {&home, AUTHENTICATED, 1, 0, CYW43_LINK_REFUSED},  {&guests, DEAUTHENTICATED_BY_PEER, 0, 2, CYW43_LINK_REFUSED},
        {&safe, AUTHENTICATED, 1, 0, CYW43_LINK_WRONG_KEY}};
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        start_radio(RADIO_WELL);
        cyw43_join(&cyw43, cases[n].network);
        told(cases[n].kind, cases[n].status, cases[n].reason, 0);
        EXPECT_EQUAL(cyw43_link(&cyw43), cases[n].link);
        EXPECT(*cyw43_link_sentence(cases[n].link));
    }
}

static void it_is_asked_for_again_after_a_while_and_not_before(void) {
    start_radio(RADIO_WELL);
    cyw43_join(&cyw43, &home);
    told(JOIN_ENDS, 3, 0, 0);
    size_t before = radio.request_count;
    radio.now_us += 1000000;
    cyw43_tend(&cyw43);
    EXPECT_EQUAL(radio.request_count, before);
    radio.now_us += 1000000;
    cyw43_tend(&cyw43);
    EXPECT(radio.request_count > before);
    EXPECT_EQUAL(cyw43_link(&cyw43), CYW43_LINK_JOINING);
    /* One that nobody answers is tried again later. */
    before = radio.request_count;
    radio.now_us += 10000000;
    cyw43_tend(&cyw43);
    EXPECT_EQUAL(radio.request_count, before);
    radio.now_us += 5000000;
    cyw43_tend(&cyw43);
    EXPECT(radio.request_count > before);
}

static void a_network_that_goes_is_looked_for_until_it_is_back(void) {
    static const uint32_t ways[][3] = {{LINK, 1, 0}, {DEAUTHENTICATED_BY_PEER, 2, 0}};
    for (unsigned way = 0; way < 2; way++) {
        join_radio(&home);
        EXPECT_EQUAL(cyw43_link(&cyw43), CYW43_LINK_UP);
        told(ways[way][0], 0, ways[way][1], 0);
        EXPECT_EQUAL(cyw43_link(&cyw43), CYW43_LINK_LOST);
        radio.request_count = 0;
        radio.now_us += 2000000;
        cyw43_tend(&cyw43);
        EXPECT(radio_asked(&radio, NULL, 26) != NULL);
        told(LINK, 0, 0, 1);
        told(KEYS, 6, 0, 0);
        EXPECT_EQUAL(cyw43_link(&cyw43), CYW43_LINK_UP);
        EXPECT_EQUAL(radio.mistakes, 0);
    }
}

static void one_that_was_left_is_not_asked_for(void) {
    join_radio(&home);
    EXPECT(cyw43_leave(&cyw43));
    EXPECT(radio_asked(&radio, NULL, 52) != NULL);
    EXPECT_EQUAL(cyw43_link(&cyw43), CYW43_LINK_NONE);
    told(LINK, 0, 0, 0);
    size_t before = radio.request_count;
    radio.now_us += 60000000;
    cyw43_tend(&cyw43);
    EXPECT_EQUAL(radio.request_count, before);
}

static void a_chip_that_falls_silent_does_not_hold_the_program(void) {
    join_radio(&home);
    told(LINK, 0, 1, 0);
    radio.illness = RADIO_SILENT;
    radio.now_us += 2000000;
    uint64_t from_us = radio.now_us;
    cyw43_tend(&cyw43);
    EXPECT(radio.now_us - from_us < 1000000);
    EXPECT_EQUAL(cyw43_link(&cyw43), CYW43_LINK_REFUSED);
    EXPECT_EQUAL(cyw43_rssi_dbm(&cyw43), 0);
}

static void texts_that_are_too_long_are_cut(void) {
    static const char long_text[] = "0123456789012345678901234567890123456789012345678901234567890123456789";
    static const struct cyw43_network too_long = {long_text, long_text, CYW43_WPA2};
    start_radio(RADIO_WELL);
    cyw43_join(&cyw43, &too_long);
    EXPECT_EQUAL(radio_asked(&radio, NULL, 26)->content[0], 32);
    EXPECT_EQUAL(radio_asked(&radio, NULL, 268)->content[0], 64);
}

int main(void) {
    each_security_is_asked_for_as_it_is();
    the_passphrase_goes_where_the_security_has_it();
    it_is_up_when_link_and_keys_are_there_in_any_order();
    each_refusal_has_its_cause();
    it_is_asked_for_again_after_a_while_and_not_before();
    a_network_that_goes_is_looked_for_until_it_is_back();
    one_that_was_left_is_not_asked_for();
    a_chip_that_falls_silent_does_not_hold_the_program();
    texts_that_are_too_long_are_cut();
    return expect_result();
}

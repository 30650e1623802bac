/* CoAP messages and exchanges: the examples of RFC 7252, appendix A, byte for byte, and each of the ways in which an
 * exchange can go. */
#include <stdint.h>

#include "coap_client.h"
#include "expect.h"

static struct coap_client client;
static uint8_t token[COAP_CLIENT_TOKEN_BYTES];

static size_t answer(uint8_t *bytes, enum coap_type type, uint8_t code, uint16_t id, const char *payload) {
    struct coap_message head = {.type = type, .code = code, .id = id, .token_bytes = code ? sizeof token : 0};
    struct coap_writer writer;
    memcpy(head.token, token, sizeof token);
    coap_begin(&writer, bytes, 64, &head);
    coap_put_payload(&writer, payload, strlen(payload));
    return coap_written(&writer);
}

static enum coap_outcome receive(const uint8_t *bytes, size_t count) {
    struct coap_message response;
    return coap_client_receive(&client, bytes, count, &response);
}

/* Whether there is something to send; it is sent. */
static bool send(uint32_t now_ms, struct coap_message *sent) {
    const uint8_t *bytes;
    size_t count = coap_client_pending(&client, &bytes);
    if (!count) {
        return false;
    }
    EXPECT(coap_read(bytes, count, sent));
    coap_client_sent(&client, now_ms);
    return true;
}

static void ask(uint32_t now_ms, uint32_t random) {
    struct coap_message request;
    EXPECT(coap_client_request(&client, COAP_GET, "temperature", NULL, 0, now_ms, random));
    EXPECT(send(now_ms, &request));
    EXPECT_EQUAL(request.type, COAP_CONFIRMABLE);
    memcpy(token, request.token, sizeof token);
    EXPECT(!send(now_ms, &request));
}

/* Figure 16: GET coap://server/temperature, confirmable, message id 0x7d34, no token. */
static void the_request_of_the_rfc_is_written_byte_for_byte(void) {
    static const uint8_t wanted[] = {0x40, 0x01, 0x7d, 0x34, 0xbb, 't', 'e', 'm',
                                     'p',  'e',  'r',  'a',  't',  'u', 'r', 'e'};
    struct coap_message head = {.type = COAP_CONFIRMABLE, .code = COAP_GET, .id = 0x7d34};
    uint8_t bytes[32];
    struct coap_writer writer;
    coap_begin(&writer, bytes, sizeof bytes, &head);
    coap_put_path(&writer, "temperature");
    EXPECT_EQUAL(coap_written(&writer), sizeof wanted);
    EXPECT(!memcmp(bytes, wanted, sizeof wanted));
}

/* Figure 16: the answer "22.3 C" in the acknowledgement. */
static void the_response_of_the_rfc_is_read(void) {
    static const uint8_t bytes[] = {0x60, 0x45, 0x7d, 0x34, 0xff, '2', '2', '.', '3', ' ', 'C'};
    struct coap_message read;
    EXPECT(coap_read(bytes, sizeof bytes, &read));
    EXPECT_EQUAL(read.type, COAP_ACKNOWLEDGEMENT);
    EXPECT_EQUAL(read.code, COAP_CODE(2, 5));
    EXPECT_EQUAL(read.id, 0x7d34);
    EXPECT_EQUAL(read.payload_bytes, 6);
    EXPECT(!memcmp(read.payload, "22.3 C", 6));
}

static void options_of_all_sizes_come_back(void) {
    static uint8_t bytes[2048], value[700];
    static const uint32_t numbers[] = {4, 11, 11, 12, 24, 25, 293, 294, 562, 2048, 65000};
    static const size_t sizes[] = {0, 1, 12, 13, 14, 100, 268, 269, 270, 600, 0};
    struct coap_message head = {.type = COAP_NON_CONFIRMABLE, .code = COAP_PUT}, read;
    struct coap_writer writer;
    coap_begin(&writer, bytes, sizeof bytes, &head);
    for (unsigned n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        memset(value, (int)n, sizeof value);
        coap_put_option(&writer, numbers[n], value, sizes[n]);
    }
    coap_put_payload(&writer, "x", 1);
    EXPECT(coap_read(bytes, coap_written(&writer), &read));
    struct coap_option option = coap_options(&read);
    for (unsigned n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        EXPECT(coap_next_option(&option));
        EXPECT_EQUAL(option.number, numbers[n]);
        EXPECT_EQUAL(option.value_bytes, sizes[n]);
        EXPECT(!sizes[n] || option.value[sizes[n] - 1] == n);
    }
    EXPECT(!coap_next_option(&option));
    EXPECT_EQUAL(read.payload_bytes, 1);
}

static void what_breaks_section_3_is_refused(void) {
    static const struct {
        uint8_t bytes[8];
        size_t count;
    } bad[] = {
        {{0x40, 1, 0}, 3},                /* no message id */
        {{0x00, 1, 0, 0}, 4},             /* version 0 */
        {{0x49, 1, 0, 0, 1, 2, 3, 4}, 8}, /* a token of nine bytes */
        {{0x42, 1, 0, 0, 1}, 5},          /* a token that is cut off */
        {{0x40, 1, 0, 0, 0xff}, 5},       /* a marker without payload */
        {{0x40, 1, 0, 0, 0xb3, 'a'}, 6},  /* an option that is cut off */
        {{0x40, 1, 0, 0, 0xf0}, 5},       /* a reserved delta */
        {{0x40, 1, 0, 0, 0x0f}, 5},       /* a reserved length */
        {{0x40, 1, 0, 0, 0xd0}, 5},       /* a delta that is cut off */
        {{0x40, 1, 0, 0, 0xe0, 0xff}, 6},
        {{0x40, 1, 0, 0, 0xe0, 0xff, 0xff}, 7}, /* option number 65804 */
        {{0x40, 0, 0, 0, 0xff, 1}, 6},          /* an empty message with payload */
    };
    struct coap_message read;
    for (unsigned n = 0; n < sizeof bad / sizeof *bad; n++) {
        EXPECT(!coap_read(bad[n].bytes, bad[n].count, &read));
    }
}

static void a_response_comes_with_the_acknowledgement(void) {
    uint8_t bytes[64];
    coap_client_begin(&client, 100);
    ask(0, 0);
    EXPECT_EQUAL(receive(bytes, answer(bytes, COAP_ACKNOWLEDGEMENT, COAP_CODE(2, 5), (uint16_t)(client.id + 1), "x")),
                 COAP_NOTHING);
    token[0] ^= 1;
    EXPECT_EQUAL(receive(bytes, answer(bytes, COAP_ACKNOWLEDGEMENT, COAP_CODE(2, 5), client.id, "x")), COAP_NOTHING);
    token[0] ^= 1;
    EXPECT_EQUAL(receive(bytes, answer(bytes, COAP_ACKNOWLEDGEMENT, COAP_CODE(2, 5), client.id, "x")), COAP_RESPONSE);
    EXPECT_EQUAL(coap_client_pass(&client, 100000), COAP_NOTHING);
    ask(100000, 0);
}

static void a_separate_response_is_acknowledged_each_time_that_it_comes(void) {
    uint8_t bytes[64];
    struct coap_message sent;
    coap_client_begin(&client, 100);
    ask(0, 0);
    EXPECT_EQUAL(receive(bytes, answer(bytes, COAP_ACKNOWLEDGEMENT, COAP_EMPTY, client.id, "")), COAP_NOTHING);
    EXPECT_EQUAL(coap_client_pass(&client, 60000), COAP_NOTHING);
    EXPECT(!send(60000, &sent));
    for (int time = 0; time < 2; time++) {
        enum coap_outcome wanted = time ? COAP_NOTHING : COAP_RESPONSE;
        EXPECT_EQUAL(receive(bytes, answer(bytes, COAP_CONFIRMABLE, COAP_CODE(2, 5), 0xad7b, "x")), wanted);
        EXPECT(send(60001, &sent));
        EXPECT_EQUAL(sent.type, COAP_ACKNOWLEDGEMENT);
        EXPECT_EQUAL(sent.code, COAP_EMPTY);
        EXPECT_EQUAL(sent.id, 0xad7b);
    }
}

static void a_separate_response_may_overtake_the_acknowledgement(void) {
    uint8_t bytes[64];
    coap_client_begin(&client, 100);
    ask(0, 0);
    EXPECT_EQUAL(receive(bytes, answer(bytes, COAP_NON_CONFIRMABLE, COAP_CODE(2, 5), 1, "x")), COAP_RESPONSE);
    EXPECT_EQUAL(receive(bytes, answer(bytes, COAP_ACKNOWLEDGEMENT, COAP_EMPTY, client.id, "")), COAP_NOTHING);
}

static void what_nobody_asked_for_is_reset(void) {
    uint8_t bytes[64];
    struct coap_message sent;
    coap_client_begin(&client, 100);
    EXPECT_EQUAL(receive(bytes, answer(bytes, COAP_CONFIRMABLE, COAP_CODE(2, 5), 77, "x")), COAP_NOTHING);
    EXPECT(send(0, &sent));
    EXPECT_EQUAL(sent.type, COAP_RESET);
    EXPECT_EQUAL(sent.id, 77);
    EXPECT_EQUAL(receive(bytes, answer(bytes, COAP_NON_CONFIRMABLE, COAP_CODE(2, 5), 78, "x")), COAP_NOTHING);
    EXPECT(!send(0, &sent));
}

static void a_reset_ends_the_request(void) {
    uint8_t bytes[64];
    coap_client_begin(&client, 100);
    ask(0, 0);
    EXPECT_EQUAL(receive(bytes, answer(bytes, COAP_RESET, COAP_EMPTY, client.id, "")), COAP_REFUSED);
    ask(1, 0);
}

/* Section 4.8: 2 s to 3 s, doubled four times; 45 s after the first at the earliest no answer has come. */
static void a_request_is_sent_five_times_and_then_given_up(void) {
    static const uint32_t firsts_ms[] = {2000, 2500, 3000};
    for (unsigned n = 0; n < 3; n++) {
        struct coap_message sent;
        coap_client_begin(&client, 100);
        ask(0, 512 * n);
        uint32_t now_ms = 0, timeout_ms = firsts_ms[n];
        for (int time = 1; time <= 4; time++, timeout_ms *= 2) {
            EXPECT_EQUAL(coap_client_quiet_ms(&client, now_ms), timeout_ms);
            EXPECT_EQUAL(coap_client_pass(&client, now_ms + timeout_ms - 1), COAP_NOTHING);
            EXPECT(!send(now_ms, &sent));
            now_ms += timeout_ms;
            EXPECT_EQUAL(coap_client_pass(&client, now_ms), COAP_NOTHING);
            EXPECT(send(now_ms, &sent));
            EXPECT_EQUAL(sent.id, client.id);
        }
        EXPECT_EQUAL(coap_client_pass(&client, now_ms + timeout_ms - 1), COAP_NOTHING);
        EXPECT_EQUAL(coap_client_pass(&client, now_ms + timeout_ms), COAP_NO_ANSWER);
        EXPECT_EQUAL(now_ms + timeout_ms, 31 * firsts_ms[n]);
    }
}

static void a_critical_option_that_nobody_knows_spoils_a_response(void) {
    uint8_t bytes[64];
    struct coap_message sent, head = {.type = COAP_CONFIRMABLE, .code = COAP_CODE(2, 5), .id = 9, .token_bytes = 4};
    for (uint32_t number = 2000; number <= 2001; number++) {
        struct coap_writer writer;
        coap_client_begin(&client, 100);
        ask(0, 0);
        memcpy(head.token, token, sizeof token);
        coap_begin(&writer, bytes, sizeof bytes, &head);
        coap_put_option(&writer, number, "", 0);
        bool is_critical = number % 2;
        EXPECT_EQUAL(receive(bytes, coap_written(&writer)), is_critical ? COAP_NOTHING : COAP_RESPONSE);
        EXPECT(send(0, &sent));
        EXPECT_EQUAL(sent.type, is_critical ? COAP_RESET : COAP_ACKNOWLEDGEMENT);
    }
}

static void a_request_that_does_not_fit_is_not_made(void) {
    static const uint8_t payload[COAP_REQUEST_MOST_BYTES];
    coap_client_begin(&client, 100);
    EXPECT(!coap_client_request(&client, COAP_PUT, "a", payload, sizeof payload, 0, 0));
    ask(0, 0);
}

int main(void) {
    the_request_of_the_rfc_is_written_byte_for_byte();
    the_response_of_the_rfc_is_read();
    options_of_all_sizes_come_back();
    what_breaks_section_3_is_refused();
    a_response_comes_with_the_acknowledgement();
    a_separate_response_is_acknowledged_each_time_that_it_comes();
    a_separate_response_may_overtake_the_acknowledgement();
    what_nobody_asked_for_is_reset();
    a_reset_ends_the_request();
    a_request_is_sent_five_times_and_then_given_up();
    a_critical_option_that_nobody_knows_spoils_a_response();
    a_request_that_does_not_fit_is_not_made();
    return expect_result();
}

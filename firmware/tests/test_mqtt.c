/* The MQTT client: packets byte for byte as MQTT 3.1.1 has them, each quality of service, and what breaks the rules. */
#include <stdint.h>
#include <string.h>

#include "expect.h"
#include "mqtt_client.h"

static struct mqtt_client client;
static struct mqtt_message message;

/* Everything that is pending is these bytes; it is sent. */
static bool sends(const void *wanted, size_t count, uint32_t now_ms) {
    const uint8_t *bytes;
    size_t pending = mqtt_client_pending(&client, &bytes);
    bool is_it = pending == count && !memcmp(bytes, wanted, count);
    mqtt_client_sent(&client, pending, now_ms);
    return is_it;
}
#define SENDS(...) sends((const uint8_t[]){__VA_ARGS__}, sizeof (const uint8_t[]){__VA_ARGS__}, 0)

static enum mqtt_event receive(const uint8_t *bytes, size_t count) {
    size_t taken;
    enum mqtt_event event = mqtt_client_receive(&client, bytes, count, &taken, &message);
    EXPECT(event == MQTT_BROKEN || taken == count);
    return event;
}
#define RECEIVE(...) receive((const uint8_t[]){__VA_ARGS__}, sizeof (const uint8_t[]){__VA_ARGS__})

static void connect(void) {
    const uint8_t *bytes;
    mqtt_client_begin(&client, "me", 10, 0);
    mqtt_client_sent(&client, mqtt_client_pending(&client, &bytes), 0);
    EXPECT_EQUAL(RECEIVE(0x20, 2, 0, 0), MQTT_CONNECTED);
}

/* 3.1.2.12, the example of a variable header, without user, password and will; 3.1.3. */
static void a_connection_begins_as_the_standard_says(void) {
    EXPECT(mqtt_client_begin(&client, "me", 10, 0));
    EXPECT(SENDS(0x10, 14, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 10, 0, 2, 'm', 'e'));
    EXPECT(!mqtt_client_subscribe(&client, "a/b", 1, 0));
    EXPECT(!mqtt_client_publish(&client, "a/b", "x", 1, 0, 0));
    EXPECT_EQUAL(RECEIVE(0x20, 2, 0, 0), MQTT_CONNECTED);
}

static void a_name_without_room_for_it_is_refused_before_anything_is_sent(void) {
    const uint8_t *bytes;
    char name[MQTT_OUT_BYTES];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    EXPECT(!mqtt_client_begin(&client, name, 10, 0));
    EXPECT_EQUAL(mqtt_client_pending(&client, &bytes), 0);
    name[MQTT_OUT_BYTES - 14u] = '\0';
    EXPECT(mqtt_client_begin(&client, name, 10, 0));
    EXPECT_EQUAL(mqtt_client_pending(&client, &bytes), MQTT_OUT_BYTES);
}

static void a_broker_refuses_with_a_reason(void) {
    mqtt_client_begin(&client, "me", 10, 0);
    EXPECT_EQUAL(RECEIVE(0x20, 2, 0, 5), MQTT_REFUSED);
    EXPECT_EQUAL(client.code, MQTT_NOT_AUTHORIZED);
}

/* 3.8 and 3.9 */
static void a_subscription_is_granted_or_not(void) {
    connect();
    EXPECT(mqtt_client_subscribe(&client, "a/b", 1, 0));
    EXPECT(SENDS(0x82, 8, 0, 1, 0, 3, 'a', '/', 'b', 1));
    EXPECT(!mqtt_client_subscribe(&client, "c", 1, 0));
    EXPECT_EQUAL(RECEIVE(0x90, 3, 0, 1, 0), MQTT_SUBSCRIBED);
    EXPECT(mqtt_client_subscribe(&client, "c", 0, 0));
    EXPECT(SENDS(0x82, 6, 0, 2, 0, 1, 'c', 0));
    EXPECT_EQUAL(RECEIVE(0x90, 3, 0, 2, 0x80), MQTT_NOT_SUBSCRIBED);
}

/* 4.3 */
static void each_quality_of_service_ends_as_it_has_to(void) {
    connect();
    EXPECT(mqtt_client_publish(&client, "t", "7", 1, 0, 0));
    EXPECT(SENDS(0x30, 4, 0, 1, 't', '7'));
    EXPECT(mqtt_client_publish(&client, "t", "8", 1, 1, 0));
    EXPECT(SENDS(0x32, 6, 0, 1, 't', 0, 1, '8'));
    EXPECT(!mqtt_client_publish(&client, "t", "9", 1, 0, 0));
    EXPECT_EQUAL(RECEIVE(0x40, 2, 0, 1), MQTT_PUBLISHED);
    EXPECT(mqtt_client_publish(&client, "t", "9", 1, 2, 0));
    EXPECT(SENDS(0x34, 6, 0, 1, 't', 0, 2, '9'));
    EXPECT_EQUAL(RECEIVE(0x50, 2, 0, 2), MQTT_NOTHING);
    EXPECT(SENDS(0x62, 2, 0, 2));
    EXPECT(!mqtt_client_publish(&client, "t", "x", 1, 0, 0));
    EXPECT_EQUAL(RECEIVE(0x70, 2, 0, 2), MQTT_PUBLISHED);
}

static bool has(const uint8_t *bytes, size_t count, const char *wanted) {
    return count == strlen(wanted) && !memcmp(bytes, wanted, count);
}

static void messages_come_and_are_acknowledged(void) {
    connect();
    EXPECT_EQUAL(RECEIVE(0x30, 6, 0, 1, 't', 'a', 'b', 'c'), MQTT_MESSAGE);
    EXPECT(has(message.topic, message.topic_bytes, "t") && has(message.payload, message.payload_bytes, "abc"));
    EXPECT_EQUAL(RECEIVE(0x32, 5, 0, 1, 't', 0x12, 0x34), MQTT_MESSAGE);
    EXPECT(has(message.payload, message.payload_bytes, ""));
    EXPECT(SENDS(0x40, 2, 0x12, 0x34));
    EXPECT_EQUAL(RECEIVE(0x34, 6, 0, 1, 't', 0, 9, 'x'), MQTT_MESSAGE);
    EXPECT(SENDS(0x50, 2, 0, 9));
    EXPECT_EQUAL(RECEIVE(0x62, 2, 0, 9), MQTT_NOTHING);
    EXPECT(SENDS(0x70, 2, 0, 9));
}

static void a_message_may_come_byte_by_byte_and_two_in_one_go(void) {
    static const uint8_t two[] = {0x30, 4, 0, 1, 't', 'a', 0x30, 4, 0, 1, 't', 'b'};
    size_t taken;
    connect();
    for (unsigned n = 0; n < 5; n++) {
        EXPECT_EQUAL(receive(two + n, 1), MQTT_NOTHING);
    }
    EXPECT_EQUAL(receive(two + 5, 1), MQTT_MESSAGE);
    EXPECT_EQUAL(mqtt_client_receive(&client, two, sizeof two, &taken, &message), MQTT_MESSAGE);
    EXPECT_EQUAL(taken, 6);
    EXPECT_EQUAL(receive(two + 6, 6), MQTT_MESSAGE);
    EXPECT(has(message.payload, message.payload_bytes, "b"));
}

/* The second digit of a length counts 128 (2.2.3). */
static void a_message_that_is_too_long_loses_its_end_alone(void) {
    uint8_t bytes[3 + 3 + 300] = {0x30, 0xaf, 0x02, 0, 1, 't'};
    memset(bytes + 6, 'x', 300);
    connect();
    EXPECT_EQUAL(receive(bytes, sizeof bytes), MQTT_MESSAGE);
    EXPECT(message.is_cut_off);
    EXPECT_EQUAL(message.payload_bytes, MQTT_PACKET_MOST_BYTES - 3);
    EXPECT_EQUAL(RECEIVE(0x30, 4, 0, 1, 't', 'a'), MQTT_MESSAGE);
    EXPECT(!message.is_cut_off);
}

static void what_cannot_be_answered_is_left_for_later(void) {
    static const uint8_t one[] = {0x32, 6, 0, 1, 't', 0, 1, 'x'};
    size_t taken;
    connect();
    for (unsigned n = 0; n < MQTT_OUT_BYTES / 4; n++) {
        EXPECT_EQUAL(receive(one, sizeof one), MQTT_MESSAGE);
    }
    EXPECT_EQUAL(mqtt_client_receive(&client, one, sizeof one, &taken, &message), MQTT_NOTHING);
    EXPECT_EQUAL(taken, 0);
    mqtt_client_sent(&client, 4, 0);
    EXPECT_EQUAL(receive(one, sizeof one), MQTT_MESSAGE);
}

static void a_quiet_connection_is_kept_alive_and_a_silent_broker_noticed(void) {
    connect();
    EXPECT_EQUAL(mqtt_client_pass(&client, 4999), MQTT_NOTHING);
    EXPECT(sends("", 0, 0));
    EXPECT_EQUAL(mqtt_client_pass(&client, 5000), MQTT_NOTHING);
    EXPECT(sends((const uint8_t[]){0xc0, 0}, 2, 5000));
    EXPECT_EQUAL(RECEIVE(0xd0, 0), MQTT_NOTHING);
    EXPECT_EQUAL(mqtt_client_pass(&client, 10000), MQTT_NOTHING);
    EXPECT(sends((const uint8_t[]){0xc0, 0}, 2, 10000));
    EXPECT_EQUAL(mqtt_client_pass(&client, 19999), MQTT_NOTHING);
    EXPECT_EQUAL(mqtt_client_pass(&client, 20000), MQTT_NO_ANSWER);
}

static void what_breaks_the_rules_is_refused(void) {
    static const struct {
        uint8_t bytes[8];
        size_t count;
    } bad[] = {
        {{0x00}, 1},                         /* no such packet */
        {{0x20, 2, 0, 0}, 4},                /* a second answer to one connection */
        {{0x30, 0xff, 0xff, 0xff, 0xff}, 5}, /* a length of five digits */
        {{0x36, 5, 0, 1, 't', 0, 1}, 7},     /* quality of service 3 */
        {{0x30, 3, 0, 9, 't'}, 5},           /* a topic that is cut off */
        {{0x30, 1, 0}, 3},                   /* a message without a topic */
        {{0x32, 3, 0, 1, 't'}, 5},           /* a message without its identifier */
        {{0x90, 3, 0, 7, 0}, 5},             /* an answer to no subscription */
        {{0x40, 3, 0, 1, 0}, 5},             /* an acknowledgement that is too long */
        {{0x82, 6, 0, 1, 0, 1, 'a', 0}, 8},  /* a broker that subscribes */
    };
    for (unsigned n = 0; n < sizeof bad / sizeof *bad; n++) {
        connect();
        EXPECT_EQUAL(receive(bad[n].bytes, bad[n].count), MQTT_BROKEN);
    }
}

static void an_acknowledgement_of_something_else_is_nobodys(void) {
    connect();
    EXPECT(mqtt_client_publish(&client, "t", "8", 1, 1, 0));
    EXPECT_EQUAL(RECEIVE(0x40, 2, 0, 9), MQTT_NOTHING);
    EXPECT_EQUAL(RECEIVE(0x40, 2, 0, 1), MQTT_PUBLISHED);
}

int main(void) {
    a_connection_begins_as_the_standard_says();
    a_name_without_room_for_it_is_refused_before_anything_is_sent();
    a_broker_refuses_with_a_reason();
    a_subscription_is_granted_or_not();
    each_quality_of_service_ends_as_it_has_to();
    messages_come_and_are_acknowledged();
    a_message_may_come_byte_by_byte_and_two_in_one_go();
    a_message_that_is_too_long_loses_its_end_alone();
    what_cannot_be_answered_is_left_for_later();
    a_quiet_connection_is_kept_alive_and_a_silent_broker_noticed();
    what_breaks_the_rules_is_refused();
    an_acknowledgement_of_something_else_is_nobodys();
    return expect_result();
}

/* An MQTT client by lwIP's own (src/apps/mqtt), so on lwIP's raw interface only: subscribes to a topic, publishes a
 * count on it each second, and prints what comes back. A connection that is lost is tried again, after twice the time
 * at each failure. */
#include "application.h"
#include "clock.h"
#include "console.h"
#include "decimal.h"
#include "lwip/apps/mqtt.h"
#include "lwip/apps/mqtt_priv.h"
#include "network.h"
#include "network_settings.h"
#include "settings.h"

SETTING(broker, SETTING_ADDRESS(192, 168, 1, 1), "address", "the MQTT broker");
SETTING(broker_port, 1883, "port 1..65535", "its port");
SETTING(period_ms, 1000, "ms 1..86400000", "how long passes from one count that is published to the next");
SETTING(keep_alive_s, 30, "s 0..65535", "how long the connection may be silent before a ping, 0 for no pings");
SETTING(quality, 1, "QoS 0..2", "the quality of service of what is published and of what is subscribed to");

#define TOPIC "airwire/count"
#define FIRST_RETRY_MS 1000u
#define LONGEST_RETRY_MS 32000u
#define PRINTED_MOST_BYTES 64u
#define LEAST_KEEP_ALIVE_S (2u * MQTT_CYCLIC_TIMER_INTERVAL)

static mqtt_client_t client;
static char client_id[sizeof "airwire-" + DECIMAL_DIGITS] = "airwire-";
static struct {
    bool is_under_way, is_subscribed;
    uint32_t count, published_ms, retry_ms, lost_ms;
    size_t printed;
} session;

static const char *sentence_of(mqtt_connection_status_t status) {
    switch (status) {
    case MQTT_CONNECT_REFUSED_PROTOCOL_VERSION:
        return "error: the broker does not speak MQTT 3.1.1\n";
    case MQTT_CONNECT_REFUSED_IDENTIFIER:
        return "error: the broker does not take the client's name\n";
    case MQTT_CONNECT_REFUSED_SERVER:
        return "error: the broker says that it is not available\n";
    case MQTT_CONNECT_REFUSED_USERNAME_PASS:
    case MQTT_CONNECT_REFUSED_NOT_AUTHORIZED_:
        return "error: the broker wants a user and a password\n";
    case MQTT_CONNECT_TIMEOUT:
        return "error: the broker does not answer: does one run there?\n";
    default:
        return "error: there is no connection to the broker\n";
    }
}

static uint8_t quality(void) { return setting_quality <= 2 ? (uint8_t)setting_quality : 2; }

static void topic_comes(void *argument, const char *topic, u32_t bytes) {
    (void)argument;
    (void)bytes;
    session.printed = 0;
    console_text(topic);
    console_put(' ');
}

static void payload_comes(void *argument, const u8_t *bytes, u16_t count, u8_t flags) {
    (void)argument;
    for (uint16_t at = 0; at < count && session.printed < PRINTED_MOST_BYTES; at++, session.printed++) {
        console_put(bytes[at] >= ' ' && bytes[at] <= '~' ? (char)bytes[at] : '.');
    }
    if (flags & MQTT_DATA_FLAG_LAST) {
        console_put('\n');
    }
}

static void subscribed(void *argument, err_t error) {
    (void)argument;
    session.is_subscribed = error == ERR_OK;
    if (error != ERR_OK) {
        console_text("error: the broker does not let us subscribe\n");
    }
}

static void connected_or_not(mqtt_client_t *unused, void *argument, mqtt_connection_status_t status) {
    (void)unused;
    (void)argument;
    if (status != MQTT_CONNECT_ACCEPTED) {
        console_text(sentence_of(status));
        session.is_under_way = session.is_subscribed = false;
        session.lost_ms = clock_ms();
        return;
    }
    console_text("connected\n");
    session.retry_ms = FIRST_RETRY_MS;
    mqtt_set_inpub_callback(&client, topic_comes, payload_comes, NULL);
    if (mqtt_subscribe(&client, TOPIC, quality(), subscribed, NULL) != ERR_OK) {
        console_text("error: there is no room to ask for a subscription\n");
    }
}

/* lwIP counts in intervals of its own: a broker that is silent for one of them must not count as lost. */
static uint16_t keep_alive_s(void) {
    uint32_t wanted_s = setting_keep_alive_s;
    if (wanted_s && wanted_s < LEAST_KEEP_ALIVE_S) {
        return LEAST_KEEP_ALIVE_S;
    }
    return wanted_s < UINT16_MAX ? (uint16_t)wanted_s : UINT16_MAX;
}

static void connect(void) {
    struct mqtt_connect_client_info_t info = {.client_id = client_id, .keep_alive = keep_alive_s()};
    ip_addr_t broker = IPADDR4_INIT(setting_broker);
    session.is_under_way = true;
    if (mqtt_client_connect(&client, &broker, (uint16_t)setting_broker_port, connected_or_not, NULL, &info) != ERR_OK) {
        connected_or_not(&client, NULL, MQTT_CONNECT_DISCONNECTED);
    }
}

static void publish(void) {
    char digits[DECIMAL_DIGITS];
    uint16_t count = (uint16_t)(decimal_write(digits, session.count) - digits);
    if (mqtt_publish(&client, TOPIC, digits, count, quality(), 0, NULL, NULL) == ERR_OK) {
        session.count++;
    } else {
        console_text("error: too much that is published waits for the broker\n");
    }
}

static uint32_t tick(uint32_t now_ms) {
    if (!session.is_under_way && now_ms - session.lost_ms >= session.retry_ms) {
        session.retry_ms = session.retry_ms < LONGEST_RETRY_MS ? 2 * session.retry_ms : LONGEST_RETRY_MS;
        connect();
    }
    if (session.is_subscribed && now_ms - session.published_ms >= setting_period_ms) {
        session.published_ms = now_ms;
        publish();
    }
    return session.is_subscribed && setting_period_ms < FIRST_RETRY_MS / 10 ? setting_period_ms : FIRST_RETRY_MS / 10;
}

static void start(void) {
    *decimal_write(client_id + sizeof "airwire-" - 1, setting_mac_last & 0xffu) = 0;
    session.retry_ms = FIRST_RETRY_MS;
    session.lost_ms = clock_ms() - FIRST_RETRY_MS;
    network_call_soon();
}

const struct application application = {"MQTT client", start, tick};

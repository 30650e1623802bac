/* An MQTT client: subscribes to a topic, publishes a count on it each second, and prints what comes back. A connection
 * that is lost is tried again, after twice the time at each failure. */
#include "mqtt_client.h"
#include "application.h"
#include "clock.h"
#include "console.h"
#include "decimal.h"
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
#define LOOK_MS 100u
#define CARRY_BYTES 64u

static struct mqtt_client client;
static char client_name[sizeof "airwire-" + DECIMAL_DIGITS] = "airwire-";
static struct {
    struct stream *stream;
    bool is_open, is_subscribed;
    uint32_t count, published_ms, retry_ms, lost_ms;
    uint8_t carry[CARRY_BYTES], begin, end;
} session;

static uint8_t quality(void) { return setting_quality <= 2 ? (uint8_t)setting_quality : 2; }

static uint16_t keep_alive_s(void) {
    return setting_keep_alive_s < UINT16_MAX ? (uint16_t)setting_keep_alive_s : UINT16_MAX;
}

static const char *sentence_of(uint8_t code) {
    switch (code) {
    case MQTT_WRONG_VERSION:
        return "error: the broker does not speak MQTT 3.1.1\n";
    case MQTT_WRONG_NAME:
        return "error: the broker does not take the client's name\n";
    case MQTT_NOT_AVAILABLE:
        return "error: the broker says that it is not available\n";
    default:
        return "error: the broker wants a user and a password\n";
    }
}

static void lose(const char *sentence) {
    console_text(sentence);
    session.stream = NULL;
    session.is_open = session.is_subscribed = false;
    session.lost_ms = clock_ms();
}

/* The stream is there still, but nothing good can come of it. */
static void give_up(const char *sentence) {
    stream_abort(session.stream);
    lose(sentence);
}

static void print(const uint8_t *bytes, uint16_t count) {
    for (uint16_t at = 0; at < count; at++) {
        console_put(bytes[at] >= ' ' && bytes[at] <= '~' ? (char)bytes[at] : '.');
    }
}

static void print_message(const struct mqtt_message *message) {
    print(message->topic, message->topic_bytes);
    console_put(' ');
    print(message->payload, message->payload_bytes);
    console_text(message->is_cut_off ? " ...\n" : "\n");
}

static void tell(enum mqtt_event event, const struct mqtt_message *message) {
    switch (event) {
    case MQTT_CONNECTED:
        console_text("connected\n");
        session.retry_ms = FIRST_RETRY_MS;
        mqtt_client_subscribe(&client, TOPIC, quality(), clock_ms());
        break;
    case MQTT_REFUSED:
        give_up(sentence_of(client.code));
        break;
    case MQTT_SUBSCRIBED:
        session.is_subscribed = true;
        network_call_soon();
        break;
    case MQTT_NOT_SUBSCRIBED:
        console_text("error: the broker does not let us subscribe\n");
        break;
    case MQTT_MESSAGE:
        print_message(message);
        break;
    case MQTT_NO_ANSWER:
        give_up("error: the broker does not answer: does one run there?\n");
        break;
    case MQTT_BROKEN:
        give_up("error: what answers there speaks no MQTT\n");
        break;
    default:
        break;
    }
}

/* Whether all of it has gone. */
static bool flush(void) {
    const uint8_t *bytes;
    for (size_t count; (count = mqtt_client_pending(&client, &bytes)) != 0;) {
        size_t taken = stream_write(session.stream, bytes, count);
        if (!taken) {
            return false;
        }
        mqtt_client_sent(&client, taken, clock_ms());
    }
    return true;
}

static bool refill(void) {
    if (session.begin == session.end) {
        session.begin = 0;
        session.end = (uint8_t)stream_read(session.stream, session.carry, CARRY_BYTES);
    }
    return session.begin != session.end;
}

/* Everything that has come, as long as the answers to it find room. */
static void pump(void) {
    while (session.is_open && flush() && refill()) {
        struct mqtt_message message;
        size_t taken;
        enum mqtt_event event = mqtt_client_receive(&client, session.carry + session.begin,
                                                    (size_t)(session.end - session.begin), &taken, &message);
        session.begin = (uint8_t)(session.begin + taken);
        tell(event, &message);
    }
}

static void opened(struct stream *stream) {
    (void)stream;
    session.is_open = true;
    session.begin = session.end = 0;
    /* There is room for the name, which is shorter than any limit. */
    (void)mqtt_client_begin(&client, client_name, keep_alive_s(), clock_ms());
    pump();
}

static void moved(struct stream *stream) {
    (void)stream;
    pump();
}

static void ended(struct stream *stream, enum stream_end how) {
    if (how == STREAM_ENDED) {
        pump(); /* what the broker said last may say why */
        if (!session.stream) {
            return;
        }
        stream_close(stream);
    }
    lose("error: there is no connection to the broker\n");
}

static const struct stream_user user = {.opened = opened, .readable = moved, .writable = moved, .ended = ended};

static void connect(uint32_t now_ms) {
    session.retry_ms = session.retry_ms < LONGEST_RETRY_MS ? 2 * session.retry_ms : LONGEST_RETRY_MS;
    session.lost_ms = now_ms;
    session.stream = network_connect(setting_broker, (uint16_t)setting_broker_port, &user, NULL);
}

static void publish(uint32_t now_ms) {
    char digits[DECIMAL_DIGITS];
    size_t count = (size_t)(decimal_write(digits, session.count) - digits);
    session.published_ms = now_ms;
    if (mqtt_client_publish(&client, TOPIC, digits, count, quality(), now_ms)) {
        session.count++;
    }
}

static uint32_t tick(uint32_t now_ms) {
    if (!session.stream && now_ms - session.lost_ms >= session.retry_ms) {
        connect(now_ms);
    }
    if (session.is_open) {
        tell(mqtt_client_pass(&client, now_ms), NULL);
    }
    if (session.is_subscribed && now_ms - session.published_ms >= setting_period_ms) {
        publish(now_ms);
    }
    pump();
    return session.is_subscribed && setting_period_ms < LOOK_MS ? setting_period_ms : LOOK_MS;
}

static void start(void) {
    *decimal_write(client_name + sizeof "airwire-" - 1, setting_mac_last & 0xffu) = 0;
    session.retry_ms = FIRST_RETRY_MS;
    session.lost_ms = clock_ms() - FIRST_RETRY_MS;
    network_call_soon();
}

const struct application application = {"MQTT client", start, tick};

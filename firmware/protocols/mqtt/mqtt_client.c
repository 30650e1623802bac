/* Implementation of mqtt_client.h. Sections are those of MQTT 3.1.1. */
#include "mqtt_client.h"

#include <string.h>

/* The first byte of a packet, with the flags that it must have (2.2). */
enum first {
    CONNECT = 0x10,
    CONNACK = 0x20,
    PUBLISH = 0x30,
    PUBACK = 0x40,
    PUBREC = 0x50,
    PUBREL = 0x62,
    PUBCOMP = 0x70,
    SUBSCRIBE = 0x82,
    SUBACK = 0x90,
    PINGREQ = 0xc0,
    PINGRESP = 0xd0,
};

#define KIND_MASK 0xf0u
#define QUALITY_SHIFT 1u
#define MOST_LENGTH_DIGITS 4u /* 2.2.3 */
#define SHORT_LENGTH_MOST 127u
#define ACKNOWLEDGEMENT_BYTES 4u
#define FAILED_SUBSCRIPTION 0x80u
#define CLEAN_SESSION 0x02u

static size_t room(const struct mqtt_client *client) { return MQTT_OUT_BYTES - client->out_bytes; }

static void put_byte(struct mqtt_client *client, uint8_t byte) { client->out[client->out_bytes++] = byte; }

static void put_word(struct mqtt_client *client, uint16_t word) {
    put_byte(client, (uint8_t)(word >> 8));
    put_byte(client, (uint8_t)word);
}

static void put_bytes(struct mqtt_client *client, const void *bytes, size_t count) {
    memcpy(client->out + client->out_bytes, bytes, count);
    client->out_bytes = (uint16_t)(client->out_bytes + count);
}

static void put_text(struct mqtt_client *client, const char *text, size_t bytes) {
    put_word(client, (uint16_t)bytes);
    put_bytes(client, text, bytes);
}

/* The fixed header of a packet whose rest has so many bytes; false where there is no room for all of it. */
static bool put_head(struct mqtt_client *client, uint8_t first, size_t bytes) {
    if (bytes > SHORT_LENGTH_MOST || room(client) < 2 + bytes) {
        return false;
    }
    put_byte(client, first);
    put_byte(client, (uint8_t)bytes);
    return true;
}

static bool acknowledge(struct mqtt_client *client, uint8_t first, uint16_t id) {
    if (!put_head(client, first, 2)) {
        return false;
    }
    put_word(client, id);
    return true;
}

/* Zero is none (2.3.1). */
static uint16_t new_id(struct mqtt_client *client) {
    client->next_id = client->next_id == UINT16_MAX ? 1 : (uint16_t)(client->next_id + 1u);
    return client->next_id;
}

bool mqtt_client_begin(struct mqtt_client *client, const char *name, uint16_t keep_alive_s, uint32_t now_ms) {
    size_t name_bytes = strlen(name);
    memset(client, 0, sizeof *client);
    client->keep_alive_s = keep_alive_s;
    client->sent_ms = client->asked_ms = now_ms;
    if (!put_head(client, CONNECT, 12 + name_bytes)) {
        return false;
    }
    client->waits_for_connection = true;
    put_text(client, "MQTT", 4);
    put_byte(client, 4); /* the version (3.1.2.2) */
    put_byte(client, CLEAN_SESSION);
    put_word(client, keep_alive_s);
    put_text(client, name, name_bytes);
    return true;
}

bool mqtt_client_subscribe(struct mqtt_client *client, const char *topic, uint8_t quality, uint32_t now_ms) {
    size_t topic_bytes = strlen(topic);
    if (!client->is_connected || client->subscribing_id || !put_head(client, SUBSCRIBE, 5 + topic_bytes)) {
        return false;
    }
    client->subscribing_id = new_id(client);
    client->asked_ms = now_ms;
    put_word(client, client->subscribing_id);
    put_text(client, topic, topic_bytes);
    put_byte(client, quality);
    return true;
}

bool mqtt_client_publish(struct mqtt_client *client, const char *topic, const void *payload, size_t payload_bytes,
                         uint8_t quality, uint32_t now_ms) {
    size_t topic_bytes = strlen(topic), id_bytes = quality ? 2 : 0;
    if (!client->is_connected || client->publishing_id ||
        !put_head(client, (uint8_t)(PUBLISH | quality << QUALITY_SHIFT), 2 + topic_bytes + id_bytes + payload_bytes)) {
        return false;
    }
    put_text(client, topic, topic_bytes);
    if (quality) {
        client->publishing_id = new_id(client);
        client->asked_ms = now_ms;
        put_word(client, client->publishing_id);
    }
    put_bytes(client, payload, payload_bytes);
    return true;
}

size_t mqtt_client_pending(const struct mqtt_client *client, const uint8_t **bytes) {
    *bytes = client->out;
    return client->out_bytes;
}

void mqtt_client_sent(struct mqtt_client *client, size_t count, uint32_t now_ms) {
    client->out_bytes = (uint16_t)(client->out_bytes - count);
    memmove(client->out, client->out + count, client->out_bytes);
    client->sent_ms = now_ms;
}

static uint16_t word_at(const uint8_t *bytes) { return (uint16_t)(bytes[0] << 8 | bytes[1]); }

static enum mqtt_event connection_answered(struct mqtt_client *client) {
    if (client->taken != 2 || !client->waits_for_connection) {
        return MQTT_BROKEN;
    }
    client->waits_for_connection = false;
    client->code = client->packet[1];
    client->is_connected = client->code == MQTT_ACCEPTED;
    return client->is_connected ? MQTT_CONNECTED : MQTT_REFUSED;
}

static enum mqtt_event subscription_answered(struct mqtt_client *client) {
    if (client->taken != 3 || !client->subscribing_id || word_at(client->packet) != client->subscribing_id) {
        return MQTT_BROKEN;
    }
    client->subscribing_id = 0;
    return client->packet[2] == FAILED_SUBSCRIPTION ? MQTT_NOT_SUBSCRIBED : MQTT_SUBSCRIBED;
}

/* Acknowledges with the packet that the quality of service asks for (4.3). */
static enum mqtt_event message_came(struct mqtt_client *client, struct mqtt_message *message) {
    uint8_t quality = client->first >> QUALITY_SHIFT & 3u;
    uint32_t kept = client->taken < MQTT_PACKET_MOST_BYTES ? client->taken : MQTT_PACKET_MOST_BYTES;
    if (quality == 3 || client->taken < 2) {
        return MQTT_BROKEN;
    }
    uint32_t topic_bytes = word_at(client->packet), payload_at = 2 + topic_bytes + (quality ? 2 : 0);
    if (payload_at > client->taken) {
        return MQTT_BROKEN;
    }
    if (payload_at > kept) {
        /* Without its identifier it cannot be acknowledged, and with half a topic it is nobody's. */
        return quality ? MQTT_BROKEN : MQTT_NOTHING;
    }
    if (quality) {
        acknowledge(client, quality == 1 ? PUBACK : PUBREC, word_at(client->packet + payload_at - 2));
    }
    *message = (struct mqtt_message){.topic = client->packet + 2,
                                     .payload = client->packet + payload_at,
                                     .topic_bytes = (uint16_t)topic_bytes,
                                     .payload_bytes = (uint16_t)(kept - payload_at),
                                     .is_cut_off = kept < client->taken};
    return MQTT_MESSAGE;
}

/* A step of what the client publishes: received for good, or received and to be released (4.3.2, 4.3.3). */
static enum mqtt_event message_acknowledged(struct mqtt_client *client) {
    if (client->taken != 2) {
        return MQTT_BROKEN;
    }
    if (!client->publishing_id || word_at(client->packet) != client->publishing_id) {
        return MQTT_NOTHING;
    }
    if (client->first == PUBREC) {
        acknowledge(client, PUBREL, client->publishing_id);
        return MQTT_NOTHING;
    }
    client->publishing_id = 0;
    return MQTT_PUBLISHED;
}

static enum mqtt_event packet_came(struct mqtt_client *client, struct mqtt_message *message) {
    switch (client->first) {
    case CONNACK:
        return connection_answered(client);
    case SUBACK:
        return subscription_answered(client);
    case PUBACK:
    case PUBREC:
    case PUBCOMP:
        return message_acknowledged(client);
    case PUBREL:
        if (client->taken != 2) {
            return MQTT_BROKEN;
        }
        acknowledge(client, PUBCOMP, word_at(client->packet));
        return MQTT_NOTHING;
    case PINGRESP:
        client->waits_for_ping = false;
        return MQTT_NOTHING;
    default:
        return (client->first & KIND_MASK) == PUBLISH ? message_came(client, message) : MQTT_BROKEN;
    }
}

/* A byte of the fixed header; false where it breaks it (2.2.3). */
static bool take_head(struct mqtt_client *client, uint8_t byte) {
    if (!client->first) {
        client->first = byte;
        return byte != 0;
    }
    client->left |= (uint32_t)(byte & 0x7fu) << 7u * client->length_digits++;
    client->is_in_packet = byte < 0x80u;
    return client->is_in_packet || client->length_digits < MOST_LENGTH_DIGITS;
}

static void take_rest(struct mqtt_client *client, const uint8_t *bytes, size_t count) {
    if (client->taken < MQTT_PACKET_MOST_BYTES) {
        size_t fits = MQTT_PACKET_MOST_BYTES - client->taken;
        memcpy(client->packet + client->taken, bytes, count < fits ? count : fits);
    }
    client->taken += (uint32_t)count;
    client->left -= (uint32_t)count;
}

enum mqtt_event mqtt_client_receive(struct mqtt_client *client, const uint8_t *bytes, size_t count, size_t *taken,
                                    struct mqtt_message *message) {
    enum mqtt_event event = MQTT_NOTHING;
    *taken = 0;
    /* Whatever comes must be able to be answered. */
    while (event == MQTT_NOTHING && *taken < count && room(client) >= ACKNOWLEDGEMENT_BYTES) {
        if (!client->is_in_packet) {
            if (!take_head(client, bytes[(*taken)++])) {
                return MQTT_BROKEN;
            }
        } else {
            size_t more = count - *taken < client->left ? count - *taken : client->left;
            take_rest(client, bytes + *taken, more);
            *taken += more;
        }
        if (client->is_in_packet && !client->left) {
            event = packet_came(client, message);
            client->first = client->length_digits = 0;
            client->taken = 0;
            client->is_in_packet = false;
        }
    }
    return event;
}

static bool waits(const struct mqtt_client *client) {
    return client->waits_for_connection || client->waits_for_ping || client->subscribing_id || client->publishing_id;
}

/* A ping after half of the time, so that one that takes long still is in time (3.1.2.10). */
enum mqtt_event mqtt_client_pass(struct mqtt_client *client, uint32_t now_ms) {
    if (waits(client) && now_ms - client->asked_ms >= MQTT_ANSWER_LIMIT_MS) {
        return MQTT_NO_ANSWER;
    }
    bool is_quiet = client->keep_alive_s && now_ms - client->sent_ms >= (uint32_t)client->keep_alive_s * 500u;
    if (client->is_connected && is_quiet && !waits(client) && put_head(client, PINGREQ, 0)) {
        client->waits_for_ping = true;
        client->asked_ms = now_ms;
    }
    return MQTT_NOTHING;
}

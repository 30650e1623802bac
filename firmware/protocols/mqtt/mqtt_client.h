/* An MQTT client (MQTT 3.1.1, OASIS 2014), without I/O: bytes of a connection go in, bytes to send come out, and time
 * comes from whoever uses it. Sessions are clean ones, so that nothing outlives its connection.
 *
 * One message at a time is on its way to the broker. Left out: retained messages and wills of its own, users and
 * passwords, and topics or messages that do not fit the client's memory: those are acknowledged and dropped. */
#ifndef MQTT_CLIENT_H
#define MQTT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one packet from the broker may have behind its fixed header, of which longer ones lose the end. */
#ifndef MQTT_PACKET_MOST_BYTES
#define MQTT_PACKET_MOST_BYTES 96u
#endif
/* What may wait to be sent: a packet of the client, an acknowledgement and a ping. */
#ifndef MQTT_OUT_BYTES
#define MQTT_OUT_BYTES 96u
#endif
/* How long the broker may take to answer. */
#define MQTT_ANSWER_LIMIT_MS 10000u

enum mqtt_event {
    MQTT_NOTHING,        /* goes on */
    MQTT_CONNECTED,      /* the broker has accepted the client */
    MQTT_REFUSED,        /* it has not: `code` says why */
    MQTT_SUBSCRIBED,     /* the subscription stands */
    MQTT_NOT_SUBSCRIBED, /* the broker does not let the client subscribe */
    MQTT_PUBLISHED,      /* the message is with the broker, as its quality of service asks for */
    MQTT_MESSAGE,        /* a message has come */
    MQTT_NO_ANSWER,      /* the broker does not answer in time */
    MQTT_BROKEN,         /* what came is no MQTT: close the connection */
};

/* Why a broker refuses (3.2.2.3). */
enum mqtt_code {
    MQTT_ACCEPTED,
    MQTT_WRONG_VERSION,
    MQTT_WRONG_NAME,
    MQTT_NOT_AVAILABLE,
    MQTT_WRONG_USER,
    MQTT_NOT_AUTHORIZED,
};

/* A message that came. It holds until the next mqtt_client_receive(). */
struct mqtt_message {
    const uint8_t *topic, *payload;
    uint16_t topic_bytes, payload_bytes;
    bool is_cut_off;
};

struct mqtt_client {
    uint8_t packet[MQTT_PACKET_MOST_BYTES], out[MQTT_OUT_BYTES];
    uint16_t out_bytes, keep_alive_s, next_id, subscribing_id, publishing_id;
    uint32_t left, taken, sent_ms, asked_ms; /* of the packet that comes in; when it last sent, and last asked */
    uint8_t first, length_digits, code;
    bool is_in_packet, is_connected, waits_for_ping, waits_for_connection;
};

/* Begins on a new connection: the first packet is ready to be sent. `name` is the client's, of 1 to 23 characters so
 * that every broker takes it; false when there is no room for it. */
bool mqtt_client_begin(struct mqtt_client *client, const char *name, uint16_t keep_alive_s, uint32_t now_ms);
/* Asks for the messages of a topic; false while it is not connected, or when there is no room. */
bool mqtt_client_subscribe(struct mqtt_client *client, const char *topic, uint8_t quality, uint32_t now_ms);
/* Publishes a message; false while one is under way, while it is not connected, or when there is no room. */
bool mqtt_client_publish(struct mqtt_client *client, const char *topic, const void *payload, size_t payload_bytes,
                         uint8_t quality, uint32_t now_ms);
/* What is to be sent now: its size, or 0. As much as was sent is dropped by mqtt_client_sent(). */
size_t mqtt_client_pending(const struct mqtt_client *client, const uint8_t **bytes);
void mqtt_client_sent(struct mqtt_client *client, size_t count, uint32_t now_ms);
/* Takes bytes up to the first thing to tell; `taken` says how many. `message` is filled in with MQTT_MESSAGE. While it
 * takes none, what is pending has to be sent first. */
enum mqtt_event mqtt_client_receive(struct mqtt_client *client, const uint8_t *bytes, size_t count, size_t *taken,
                                    struct mqtt_message *message);
/* Time has passed; MQTT_NOTHING or MQTT_NO_ANSWER. */
enum mqtt_event mqtt_client_pass(struct mqtt_client *client, uint32_t now_ms);

#endif

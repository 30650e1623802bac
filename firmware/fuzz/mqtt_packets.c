/* Any bytes as what a broker sends, in pieces as their first byte says: nothing is read or written out of bounds, and a
 * message that is told lies in the client's memory. */
#include <stdlib.h>

#include "mqtt_client.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check(bool is_right) {
    if (!is_right) {
        abort();
    }
}

static bool is_inside(const struct mqtt_client *client, const uint8_t *bytes, size_t count) {
    return bytes >= client->packet && bytes + count <= client->packet + sizeof client->packet;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct mqtt_client client;
    const uint8_t *pending;
    size_t step = count ? bytes[0] % 16u + 1u : 1, at = count ? 1 : 0;
    mqtt_client_begin(&client, "fuzz", 1, 0);
    for (uint32_t now_ms = 0; at < count; now_ms += 100) {
        struct mqtt_message message;
        size_t taken, most = count - at < step ? count - at : step;
        enum mqtt_event event = mqtt_client_receive(&client, bytes + at, most, &taken, &message);
        check(taken <= most && client.out_bytes <= sizeof client.out);
        if (event == MQTT_BROKEN || event == MQTT_REFUSED) {
            return 0;
        }
        if (event == MQTT_MESSAGE) {
            check(is_inside(&client, message.topic, message.topic_bytes));
            check(is_inside(&client, message.payload, message.payload_bytes));
        } else if (event == MQTT_CONNECTED) {
            mqtt_client_subscribe(&client, "#", 2, now_ms);
            mqtt_client_publish(&client, "a", "b", 1, 2, now_ms);
        }
        if (!taken || now_ms % 300 == 0) {
            mqtt_client_sent(&client, mqtt_client_pending(&client, &pending), now_ms);
        }
        at += taken;
        mqtt_client_pass(&client, now_ms);
    }
    return 0;
}

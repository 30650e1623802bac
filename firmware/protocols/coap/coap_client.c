/* Implementation of coap_client.h. */
#include "coap_client.h"

#include <string.h>

#define RANDOM_SHARE 1024u
#define BLOCK_MORE 0x08u

void coap_client_begin(struct coap_client *client, uint32_t random) {
    memset(client, 0, sizeof *client);
    client->id = (uint16_t)random;
    client->token = random;
}

static void token_of(const struct coap_client *client, uint8_t *token) {
    for (unsigned n = 0; n < COAP_CLIENT_TOKEN_BYTES; n++) {
        token[n] = (uint8_t)(client->token >> 8 * n);
    }
}

/* Section 4.2: the first timeout is random between ACK_TIMEOUT and one and a half of it. */
bool coap_client_request(struct coap_client *client, uint8_t method, const char *path, const void *payload,
                         size_t payload_bytes, uint32_t now_ms, uint32_t random) {
    if (client->is_waiting) {
        return false;
    }
    client->id++;
    client->token++;
    struct coap_message head = {
        .type = COAP_CONFIRMABLE, .code = method, .id = client->id, .token_bytes = COAP_CLIENT_TOKEN_BYTES};
    struct coap_writer writer;
    token_of(client, head.token);
    coap_begin(&writer, client->request, sizeof client->request, &head);
    coap_put_path(&writer, path);
    coap_put_payload(&writer, payload, payload_bytes);
    client->request_bytes = coap_written(&writer);
    if (!client->request_bytes) {
        return false;
    }
    client->is_waiting = client->must_send = true;
    client->is_acknowledged = false;
    client->retransmissions = 0;
    client->sent_ms = now_ms;
    client->timeout_ms = COAP_ACK_TIMEOUT_MS + COAP_ACK_TIMEOUT_MS / 2u * (random % (RANDOM_SHARE + 1u)) / RANDOM_SHARE;
    return true;
}

size_t coap_client_pending(const struct coap_client *client, const uint8_t **bytes) {
    *bytes = client->has_reply ? client->reply : client->request;
    return client->has_reply ? sizeof client->reply : client->must_send ? client->request_bytes : 0;
}

void coap_client_sent(struct coap_client *client, uint32_t now_ms) {
    if (client->has_reply) {
        client->has_reply = false;
    } else {
        client->must_send = false;
        client->sent_ms = now_ms;
    }
}

static void reply(struct coap_client *client, enum coap_type type, uint16_t id) {
    struct coap_message head = {.type = type, .code = COAP_EMPTY, .id = id};
    struct coap_writer writer;
    coap_begin(&writer, client->reply, sizeof client->reply, &head);
    client->has_reply = true;
}

static bool is_token_ours(const struct coap_client *client, const struct coap_message *message) {
    uint8_t token[COAP_CLIENT_TOKEN_BYTES];
    token_of(client, token);
    return message->token_bytes == sizeof token && !memcmp(message->token, token, sizeof token);
}

/* Section 5.4.1: what has a critical option that nobody here knows is rejected. */
static bool has_unknown_critical_option(const struct coap_message *message) {
    struct coap_option option = coap_options(message);
    while (coap_next_option(&option)) {
        if ((option.number & 1u) && option.number != COAP_BLOCK2) {
            return true;
        }
    }
    return false;
}

static enum coap_outcome finish(struct coap_client *client, enum coap_outcome outcome) {
    client->is_waiting = client->must_send = false;
    return outcome;
}

static bool is_response(uint8_t code) { return code >> 5 >= 2 && code >> 5 <= 5; }

static enum coap_outcome receive_answer(struct coap_client *client, const struct coap_message *message) {
    if (!client->is_waiting || message->id != client->id) {
        return COAP_NOTHING;
    }
    if (message->type == COAP_RESET) {
        return finish(client, COAP_REFUSED);
    }
    if (message->code == COAP_EMPTY) {
        client->is_acknowledged = true;
        client->must_send = false;
        return COAP_NOTHING;
    }
    bool is_it = is_response(message->code) && is_token_ours(client, message) && !has_unknown_critical_option(message);
    return is_it ? finish(client, COAP_RESPONSE) : COAP_NOTHING;
}

/* A response of its own says as much as an acknowledgement that was lost (section 5.2.2). One that comes again is
 * acknowledged again; what nobody waits for is reset where it asks for an answer. */
static enum coap_outcome receive_separate(struct coap_client *client, const struct coap_message *message) {
    bool asks = message->type == COAP_CONFIRMABLE;
    if (client->has_answered && message->id == client->answered_id && asks && is_token_ours(client, message)) {
        reply(client, COAP_ACKNOWLEDGEMENT, message->id);
        return COAP_NOTHING;
    }
    bool is_it = client->is_waiting && is_response(message->code) && is_token_ours(client, message) &&
                 !has_unknown_critical_option(message);
    if (asks) {
        reply(client, is_it ? COAP_ACKNOWLEDGEMENT : COAP_RESET, message->id);
    }
    if (!is_it) {
        return COAP_NOTHING;
    }
    client->has_answered = asks;
    client->answered_id = message->id;
    return finish(client, COAP_RESPONSE);
}

enum coap_outcome coap_client_receive(struct coap_client *client, const uint8_t *bytes, size_t count,
                                      struct coap_message *response) {
    if (!coap_read(bytes, count, response)) {
        return COAP_NOTHING;
    }
    bool is_answer = response->type == COAP_ACKNOWLEDGEMENT || response->type == COAP_RESET;
    return is_answer ? receive_answer(client, response) : receive_separate(client, response);
}

enum coap_outcome coap_client_pass(struct coap_client *client, uint32_t now_ms) {
    uint32_t gone_ms = now_ms - client->sent_ms;
    if (!client->is_waiting || client->must_send) {
        return COAP_NOTHING;
    }
    if (client->is_acknowledged) {
        return gone_ms >= COAP_RESPONSE_LIMIT_MS ? finish(client, COAP_NO_ANSWER) : COAP_NOTHING;
    }
    if (gone_ms < client->timeout_ms) {
        return COAP_NOTHING;
    }
    if (client->retransmissions == COAP_MAX_RETRANSMIT) {
        return finish(client, COAP_NO_ANSWER);
    }
    client->retransmissions++;
    client->timeout_ms *= 2u;
    client->must_send = true;
    return COAP_NOTHING;
}

uint32_t coap_client_quiet_ms(const struct coap_client *client, uint32_t now_ms) {
    if (!client->is_waiting) {
        return UINT32_MAX;
    }
    uint32_t limit_ms = client->is_acknowledged ? COAP_RESPONSE_LIMIT_MS : client->timeout_ms;
    uint32_t gone_ms = now_ms - client->sent_ms;
    return client->must_send || gone_ms >= limit_ms ? 0 : limit_ms - gone_ms;
}

bool coap_is_whole(const struct coap_message *response) {
    struct coap_option option = coap_options(response);
    while (coap_next_option(&option)) {
        if (option.number == COAP_BLOCK2 && option.value_bytes && option.value_bytes <= 3) {
            return !(option.value[option.value_bytes - 1] & BLOCK_MORE);
        }
    }
    return true;
}

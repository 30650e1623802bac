/* Any bytes as CoAP messages: read in bounds, written again as the same message, and taken by a client that waits. */
#include <stdlib.h>
#include <string.h>

#include "coap_client.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check(bool is_right) {
    if (!is_right) {
        abort();
    }
}

static bool is_same(const void *left, const void *right, size_t count) { return !count || !memcmp(left, right, count); }

static void write_again(const struct coap_message *message, uint8_t *bytes, size_t capacity) {
    struct coap_message again;
    struct coap_writer writer;
    coap_begin(&writer, bytes, capacity, message);
    struct coap_option option = coap_options(message), other;
    while (coap_next_option(&option)) {
        coap_put_option(&writer, option.number, option.value, option.value_bytes);
    }
    coap_put_payload(&writer, message->payload, message->payload_bytes);
    check(coap_read(bytes, coap_written(&writer), &again));
    check(again.type == message->type && again.code == message->code && again.id == message->id);
    check(again.token_bytes == message->token_bytes && !memcmp(again.token, message->token, sizeof again.token));
    check(again.payload_bytes == message->payload_bytes);
    check(is_same(again.payload, message->payload, again.payload_bytes));
    option = coap_options(message);
    other = coap_options(&again);
    while (coap_next_option(&option)) {
        check(coap_next_option(&other) && other.number == option.number && other.value_bytes == option.value_bytes);
        check(is_same(other.value, option.value, option.value_bytes));
    }
    check(!coap_next_option(&other));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct coap_message message, response;
    struct coap_client client;
    coap_client_begin(&client, 0);
    coap_client_request(&client, COAP_GET, "hello", NULL, 0, 0, 0);
    enum coap_outcome outcome = coap_client_receive(&client, bytes, count, &response);
    check(outcome == COAP_NOTHING || !client.is_waiting);
    if (outcome == COAP_RESPONSE) {
        coap_is_whole(&response);
    }
    if (!coap_read(bytes, count, &message)) {
        check(outcome == COAP_NOTHING && !client.has_reply);
        return 0;
    }
    uint8_t *written = malloc(count + 16);
    write_again(&message, written, count + 16);
    free(written);
    return 0;
}

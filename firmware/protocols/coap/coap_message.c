/* Implementation of coap_message.h. */
#include "coap_message.h"

#include <string.h>

#define HEADER_BYTES 4u
#define VERSION 1u
#define PAYLOAD_MARKER 0xffu
/* Section 3.1: deltas and lengths from these on stand in one more byte, or in two. */
#define ONE_MORE 13u
#define TWO_MORE 14u
#define RESERVED 15u
#define ONE_MORE_FROM 13u
#define TWO_MORE_FROM 269u

/* A delta or a length by its four bits; what is left grows shorter. False when the bytes end before. */
static bool read_extended(uint32_t *value, const uint8_t **at, size_t *left) {
    unsigned more = *value == ONE_MORE ? 1 : *value == TWO_MORE ? 2 : 0;
    if (*value == RESERVED || *left < more) {
        return false;
    }
    if (more == 1) {
        *value = ONE_MORE_FROM + (*at)[0];
    } else if (more == 2) {
        *value = TWO_MORE_FROM + ((uint32_t)(*at)[0] << 8 | (*at)[1]);
    }
    *at += more;
    *left -= more;
    return true;
}

struct coap_option coap_options(const struct coap_message *message) {
    return (struct coap_option){.next = message->options, .left = message->options_bytes};
}

bool coap_next_option(struct coap_option *option) {
    if (!option->left || *option->next == PAYLOAD_MARKER) {
        return false;
    }
    uint32_t delta = *option->next >> 4, length = *option->next & 15u;
    const uint8_t *at = option->next + 1;
    size_t left = option->left - 1;
    if (!read_extended(&delta, &at, &left) || !read_extended(&length, &at, &left) || left < length ||
        option->number + delta > UINT16_MAX) {
        return false;
    }
    *option = (struct coap_option){option->number + delta, at, length, at + length, left - length};
    return true;
}

/* Sets options and payload; false when they are neither. */
static bool split(struct coap_message *message, const uint8_t *bytes, size_t count) {
    message->options = bytes;
    message->options_bytes = count;
    message->payload = NULL;
    message->payload_bytes = 0;
    struct coap_option option = coap_options(message);
    while (coap_next_option(&option)) {
    }
    message->options_bytes = count - option.left;
    if (!option.left) {
        return true;
    }
    message->payload = option.next + 1;
    message->payload_bytes = option.left - 1;
    return *option.next == PAYLOAD_MARKER && message->payload_bytes;
}

bool coap_read(const uint8_t *bytes, size_t count, struct coap_message *message) {
    if (count < HEADER_BYTES || bytes[0] >> 6 != VERSION) {
        return false;
    }
    size_t token_bytes = bytes[0] & 15u;
    if (token_bytes > COAP_TOKEN_MOST_BYTES || count < HEADER_BYTES + token_bytes) {
        return false;
    }
    message->type = (enum coap_type)(bytes[0] >> 4 & 3u);
    message->code = bytes[1];
    message->id = (uint16_t)(bytes[2] << 8 | bytes[3]);
    message->token_bytes = token_bytes;
    memset(message->token, 0, sizeof message->token);
    memcpy(message->token, bytes + HEADER_BYTES, token_bytes);
    if (message->code == COAP_EMPTY && count != HEADER_BYTES) {
        return false;
    }
    return split(message, bytes + HEADER_BYTES + token_bytes, count - HEADER_BYTES - token_bytes);
}

static void put(struct coap_writer *writer, const void *bytes, size_t count) {
    if (count > writer->capacity - writer->count) {
        writer->is_full = true;
        return;
    }
    if (count) {
        memcpy(writer->bytes + writer->count, bytes, count);
    }
    writer->count += count;
}

static void put_byte(struct coap_writer *writer, uint32_t value) {
    uint8_t byte = (uint8_t)value;
    put(writer, &byte, 1);
}

void coap_begin(struct coap_writer *writer, uint8_t *bytes, size_t capacity, const struct coap_message *head) {
    *writer = (struct coap_writer){.bytes = bytes, .capacity = capacity};
    put_byte(writer, VERSION << 6 | (uint32_t)head->type << 4 | (uint32_t)head->token_bytes);
    put_byte(writer, head->code);
    put_byte(writer, head->id >> 8);
    put_byte(writer, head->id);
    put(writer, head->token, head->token_bytes);
}

static uint32_t four_bits(uint32_t value) {
    return value < ONE_MORE_FROM ? value : value < TWO_MORE_FROM ? ONE_MORE : TWO_MORE;
}

static void put_extended(struct coap_writer *writer, uint32_t value) {
    if (value >= TWO_MORE_FROM) {
        put_byte(writer, (value - TWO_MORE_FROM) >> 8);
        put_byte(writer, value - TWO_MORE_FROM);
    } else if (value >= ONE_MORE_FROM) {
        put_byte(writer, value - ONE_MORE_FROM);
    }
}

void coap_put_option(struct coap_writer *writer, uint32_t number, const void *value, size_t value_bytes) {
    uint32_t delta = number - writer->last_number, length = (uint32_t)value_bytes;
    put_byte(writer, four_bits(delta) << 4 | four_bits(length));
    put_extended(writer, delta);
    put_extended(writer, length);
    put(writer, value, value_bytes);
    writer->last_number = number;
}

void coap_put_path(struct coap_writer *writer, const char *path) {
    while (*path) {
        size_t count = 0;
        while (path[count] && path[count] != '/') {
            count++;
        }
        coap_put_option(writer, COAP_URI_PATH, path, count);
        path += path[count] ? count + 1 : count;
    }
}

void coap_put_payload(struct coap_writer *writer, const void *payload, size_t payload_bytes) {
    if (payload_bytes) {
        put_byte(writer, PAYLOAD_MARKER);
        put(writer, payload, payload_bytes);
    }
}

size_t coap_written(const struct coap_writer *writer) { return writer->is_full ? 0 : writer->count; }

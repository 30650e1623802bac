/* CoAP messages (RFC 7252, section 3), read and written. Reading copies nothing: options and payload point into the
 * bytes that were received. */
#ifndef COAP_MESSAGE_H
#define COAP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COAP_PORT 5683u
#define COAP_TOKEN_MOST_BYTES 8u

enum coap_type { COAP_CONFIRMABLE, COAP_NON_CONFIRMABLE, COAP_ACKNOWLEDGEMENT, COAP_RESET };

/* 2.05 is COAP_CODE(2, 5). */
#define COAP_CODE(class, detail) ((uint8_t)((class) << 5 | (detail)))
#define COAP_EMPTY COAP_CODE(0, 0)
#define COAP_GET COAP_CODE(0, 1)
#define COAP_PUT COAP_CODE(0, 3)

/* Option numbers (sections 5.10 and 12.2, RFC 7959 for the last). */
#define COAP_URI_PATH 11u
#define COAP_BLOCK2 23u

struct coap_message {
    enum coap_type type;
    uint8_t code;
    uint16_t id;
    uint8_t token[COAP_TOKEN_MOST_BYTES];
    size_t token_bytes;
    const uint8_t *options, *payload;
    size_t options_bytes, payload_bytes;
};

/* Whether the bytes are a message that keeps to section 3: version, token length, options to their end, no empty
 * payload. */
bool coap_read(const uint8_t *bytes, size_t count, struct coap_message *message);

/* One option after the other: begin with all zero but `left` and `next` as the message has its options. */
struct coap_option {
    uint32_t number;
    const uint8_t *value;
    size_t value_bytes;
    const uint8_t *next;
    size_t left;
};
struct coap_option coap_options(const struct coap_message *message);
/* False at the end, and at bytes that are no option. */
bool coap_next_option(struct coap_option *option);

/* A message under way. What does not fit is left out, and coap_written() says 0. */
struct coap_writer {
    uint8_t *bytes;
    size_t capacity, count;
    uint32_t last_number;
    bool is_full;
};
void coap_begin(struct coap_writer *writer, uint8_t *bytes, size_t capacity, const struct coap_message *head);
/* In order of their numbers. */
void coap_put_option(struct coap_writer *writer, uint32_t number, const void *value, size_t value_bytes);
/* "sensors/light": an option of each segment. */
void coap_put_path(struct coap_writer *writer, const char *path);
void coap_put_payload(struct coap_writer *writer, const void *payload, size_t payload_bytes);
size_t coap_written(const struct coap_writer *writer);

#endif

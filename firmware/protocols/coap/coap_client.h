/* One request after the other to one server (RFC 7252, sections 4 and 5), without I/O: time, random numbers and
 * datagrams come from whoever uses it. Requests are confirmable; responses come with the acknowledgement or on their
 * own.
 *
 * Left out: block-wise transfer (the first block of a longer response is all there is), observation, multicast, DTLS.
 */
#ifndef COAP_CLIENT_H
#define COAP_CLIENT_H

#include "coap_message.h"

/* Section 4.8. */
#define COAP_ACK_TIMEOUT_MS 2000u
#define COAP_MAX_RETRANSMIT 4u
/* How long a separate response may take once the request is acknowledged: MAX_TRANSMIT_WAIT of section 4.8.2. */
#define COAP_RESPONSE_LIMIT_MS 93000u
#define COAP_REQUEST_MOST_BYTES 128u
#define COAP_CLIENT_TOKEN_BYTES 4u

enum coap_outcome {
    COAP_NOTHING,   /* goes on */
    COAP_RESPONSE,  /* the response is there */
    COAP_REFUSED,   /* the server does not know what to do with the request: RST */
    COAP_NO_ANSWER, /* neither acknowledgement nor response within their times */
};

struct coap_client {
    uint8_t request[COAP_REQUEST_MOST_BYTES];
    size_t request_bytes;
    uint8_t reply[4]; /* an acknowledgement or a reset that is to be sent */
    bool has_reply, is_waiting, is_acknowledged, must_send;
    uint16_t id, answered_id;
    bool has_answered;
    uint32_t token;
    uint32_t sent_ms, timeout_ms;
    unsigned retransmissions;
};

/* Message ids and tokens go on from a random number. */
void coap_client_begin(struct coap_client *client, uint32_t random);
/* Makes the next request, to be sent at once; false while one is under way, or when it is too long. */
bool coap_client_request(struct coap_client *client, uint8_t method, const char *path, const void *payload,
                         size_t payload_bytes, uint32_t now_ms, uint32_t random);
/* What is to be sent now: its size, or 0. It counts as sent with coap_client_sent(). */
size_t coap_client_pending(const struct coap_client *client, const uint8_t **bytes);
void coap_client_sent(struct coap_client *client, uint32_t now_ms);
/* A datagram of the server has come. `response` holds where the outcome is COAP_RESPONSE, as long as `bytes` do. */
enum coap_outcome coap_client_receive(struct coap_client *client, const uint8_t *bytes, size_t count,
                                      struct coap_message *response);
/* Time has passed; COAP_NOTHING or COAP_NO_ANSWER. */
enum coap_outcome coap_client_pass(struct coap_client *client, uint32_t now_ms);
/* How long until coap_client_pass() has to be called. */
uint32_t coap_client_quiet_ms(const struct coap_client *client, uint32_t now_ms);
/* Whether the whole response is there, or only its first block (RFC 7959). */
bool coap_is_whole(const struct coap_message *response);

#endif

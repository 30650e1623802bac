/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* An HTTP/1.1 server without I/O: bytes of a connection go in, bytes to send come out.
 *
 * Stands between a transport (hardware sockets, lwIP, POSIX), which moves the bytes, and an application, which gives an
 * image of pages, values for their tags, and handlers. It holds no heap, no clock and nothing of a request but what
 * matters to its answer. RFC 9110 and 9112 say what is right; what is doubtful is refused and the connection closed.
 * Leaves out TLS, chunked requests (501), ranges and dates.
 *
 * A transport's loop, for each connection:
 *
 *     http_receive() what has come; keep what it did not take for later
 *     while http_pending() has bytes that fit: send them, http_sent()
 *     close when http_is_finished() or http_is_overdue()
 */
#ifndef AIRWIRE_HTTP_H
#define AIRWIRE_HTTP_H

#include "fsdata_image.h"
#include "http_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a value from `offset` on, at most `capacity` bytes, and returns how many. Fewer than `capacity` end the value.
 * Each byte is asked for once, in order; a value longer than a slot must not change between its parts. */
typedef size_t http_write(void *context, size_t offset, char *out, size_t capacity);

struct http_tag {
    const char *name; /* as in <!--#name--> */
    http_write *write;
};

enum http_method { HTTP_NO_METHOD = 0, HTTP_GET = 1, HTTP_POST = 2, HTTP_HEAD = 4 };

enum http_status {
    HTTP_OK,
    HTTP_SEE_OTHER,
    HTTP_NOT_MODIFIED,
    HTTP_BAD_REQUEST,
    HTTP_FORBIDDEN,
    HTTP_NOT_FOUND,
    HTTP_METHOD_NOT_ALLOWED,
    HTTP_LENGTH_REQUIRED,
    HTTP_CONTENT_TOO_LARGE,
    HTTP_URI_TOO_LONG,
    HTTP_UNSUPPORTED_MEDIA_TYPE,
    HTTP_EXPECTATION_FAILED,
    HTTP_HEADER_TOO_LARGE,
    HTTP_INTERNAL_ERROR,
    HTTP_NOT_IMPLEMENTED,
    HTTP_UNAVAILABLE,
    HTTP_VERSION_NOT_SUPPORTED,
    HTTP_STATUS_COUNT
};

/* What a handler knows of its request; `state` is its own, and zero at the first parameter. */
struct http_request {
    uint32_t state[HTTP_STATE_WORDS];
    uint8_t method;
};

/* Decoded, ended by a zero byte, and valid during the call only. */
struct http_parameter {
    const char *name;
    const char *value;
    bool is_truncated; /* name or value were longer than the slot */
};

#define HTTP_CONTENT_TYPE(type) "Content-Type: " type "\r\n"
#define HTTP_LOCATION(path) "Location: " path "\r\n"

/* Either `file`, a path of the image, or a status with header lines and a body; all texts stay valid until sent. */
struct http_answer {
    const char *file;
    enum http_status status; /* HTTP_OK unless set */
    const char *header;      /* lines that each end in CR LF, or NULL */
    http_write *write;       /* the body, or NULL for an empty one */
    void *context;           /* of `write`: the server's unless set */
};

/* Parameters come while the request still does: a handler acts in `answer`, which only a valid request reaches. */
struct http_handler {
    const char *path;
    uint8_t methods; /* HTTP_GET (HEAD with it), HTTP_POST or both */
    void (*parameter)(void *context, struct http_request *request, const struct http_parameter *parameter);
    void (*answer)(void *context, struct http_request *request, struct http_answer *answer);
};

struct http_server {
    const struct fsdata *files;
    const struct http_tag *tags;
    const struct http_handler *handlers; /* these go before files of the same path */
    void *context;                       /* handed to all functions above */
    uint8_t tag_count;
    uint8_t handler_count;
};

/* Where a name in a table may still lead, after so many of its characters. */
struct http_match {
    uint16_t index;
    uint16_t position;
};

/* One connection; its members are the server's own. Bytes come first because Thumb reaches the first 32 in one step. */
struct http_connection {
    uint8_t state;
    uint8_t stage;
    uint8_t status;
    uint8_t field;
    uint8_t value_state;
    uint8_t escape;
    uint8_t escaped;
    uint8_t weight;
    uint8_t fill;
    uint8_t value_begin;
    uint8_t taken;
    uint8_t phase;
    uint8_t etag_position;
    uint8_t hosts;
    uint8_t lengths;
    bool is_http10;
    bool closes;
    bool keeps_alive;
    bool has_transfer_encoding;
    bool takes_gzip;
    bool holds_plain;
    bool holds_gzip;
    bool expects_continue;
    bool expects_other;
    bool is_form;
    bool is_truncated;
    bool has_parameters;
    bool is_measured;
    bool is_chunked;
    bool has_chunk;
    uint16_t line_bytes;
    uint16_t header_bytes;
    struct http_match file;
    struct http_match handler;
    struct http_match word;
    uint16_t pieces_left;
    uint16_t head_bytes;
    uint32_t body_left;
    const struct http_server *server;
    uint32_t since_ms;
    const FSDATA_CONSTANT uint8_t *send;
    uint32_t send_bytes;
    const FSDATA_CONSTANT uint8_t *head;
    const FSDATA_CONSTANT uint8_t *literal;
    const FSDATA_CONSTANT uint8_t *data;
    uint32_t data_bytes;
    const FSDATA_CONSTANT uint8_t *pieces;
    http_write *write;
    void *write_context;
    uint32_t value_offset;
    struct http_request request;
    char digits[16];
    char slot[HTTP_SLOT_BYTES];
};

/* The first tag of the image that `server` has no value for, NULL if there is none: a check at start. */
const FSDATA_CONSTANT char *http_missing_tag(const struct http_server *server);

/* Begins a connection; `now_ms` counts milliseconds and may wrap. */
void http_open(struct http_connection *connection, const struct http_server *server, uint32_t now_ms);

/* Takes bytes that came; returns how many. It takes none while an answer is to be sent, all once it is finished. */
size_t http_receive(struct http_connection *connection, const uint8_t *bytes, size_t count, uint32_t now_ms);

/* The next bytes to send, in flash or in the connection; 0 when there are none. */
size_t http_pending(const struct http_connection *connection, const FSDATA_CONSTANT uint8_t **bytes);

/* So many of the pending bytes are on their way, and may be overwritten. */
void http_sent(struct http_connection *connection, size_t count, uint32_t now_ms);

/* All is sent: end the sending side, read on for a moment so that no reset overtakes the answer, and close. */
bool http_is_finished(const struct http_connection *connection);

/* A request or an answer takes too long, or nothing happens at all: close. */
bool http_is_overdue(const struct http_connection *connection, uint32_t now_ms);

/* An answer for a client for whom no connection is left: send it and close. */
size_t http_busy_answer(const uint8_t **bytes);

#ifdef __cplusplus
}
#endif

#endif

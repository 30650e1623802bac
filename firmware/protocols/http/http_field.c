/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Values of the header fields that matter, byte by byte, and what they mean together (RFC 9110; RFC 9112, 6 and 9).
 *
 * Nothing is kept of a value but what it says. All other fields are only checked for bytes that no field may have. */
#include "http_internal.h"

/* Of a value: before its first byte, in it, after a space. For lists, of each element; then its parameters. */
enum { BEFORE, INSIDE, AFTER, PARAMETERS };
/* Of a parameter's number: none yet, zero, more. */
enum { NO_WEIGHT, ZERO, MORE };
/* Of an entity tag: outside of quotes, or this many bytes after the quote, plus one. */
#define OUTSIDE 0u
/* The variant has a letter after the digits, so that both ETags are strong (RFC 9110, 8.8.3.3). */
#define GZIP_LETTER 'z'
#define ETAG_BEGIN_BYTES 7u /* ETag: " */
#define MISMATCH 0xFFu

/* RFC 3986, 3.2.2, less strict: nothing that could end a host or begin something else. */
bool http_is_host(uint8_t byte) { return http_is_token(byte) || byte == ':' || byte == '[' || byte == ']'; }

static void element_begin(struct http_connection *c) {
    c->value_state = BEFORE;
    c->weight = NO_WEIGHT;
    http_match_begin(&c->word);
}

/* The digits of the ETag of the file that is asked for, NULL where it has none. */
static const FSDATA_CONSTANT uint8_t *etag_digits(const struct http_connection *c) {
    struct fsdata_body body;
    if (c->status != HTTP_OK || c->has_parameters) {
        return NULL;
    }
    fsdata_body(c->server->files, c->file.index, false, &body);
    return body.validators == 0 ? NULL : body.head + body.validators + ETAG_BEGIN_BYTES;
}

void http_field_begin(struct http_connection *c) {
    c->field = http_word_found(c);
    element_begin(c);
    c->etag_position = OUTSIDE;
    bool is_right = true;
    if (c->field == HTTP_WORD_TRANSFER_ENCODING) {
        c->has_transfer_encoding = true;
    } else if (c->field == HTTP_WORD_IF_NONE_MATCH) {
        c->data = etag_digits(c);
    } else if (c->field == HTTP_WORD_HOST) {
        is_right = c->hosts++ == 0;
    } else if (c->field == HTTP_WORD_CONTENT_LENGTH) {
        is_right = c->lengths++ == 0;
    }
    if (!is_right) {
        http_fail(c, HTTP_BAD_REQUEST);
    }
}

/* One word, as of Host and Content-Length: no list, no space inside. */
static void single_byte(struct http_connection *c, uint8_t byte) {
    if (byte == ' ' || byte == '\t') {
        c->value_state = c->value_state == BEFORE ? BEFORE : AFTER;
        return;
    }
    bool is_right = c->value_state != AFTER;
    c->value_state = INSIDE;
    if (c->field == HTTP_WORD_HOST) {
        is_right &= http_is_host(byte);
    } else {
        is_right &= byte >= '0' && byte <= '9';
        /* Longer than any limit is all that has to be known of a longer one. */
        if (c->body_left <= HTTP_BODY_LIMIT) {
            c->body_left = c->body_left * 10 + (byte - '0');
        }
    }
    if (!is_right) {
        http_fail(c, HTTP_BAD_REQUEST);
    }
}

static void element_end(struct http_connection *c) {
    enum http_word word = http_word_found(c);
    if (c->field == HTTP_WORD_CONTENT_TYPE) {
        c->is_form = word == HTTP_WORD_FORM;
    } else if (c->field == HTTP_WORD_CONNECTION) {
        if (word == HTTP_WORD_CLOSE) {
            c->closes = true;
        } else if (word == HTTP_WORD_KEEP_ALIVE) {
            c->keeps_alive = true;
        }
    } else if (c->field == HTTP_WORD_ACCEPT_ENCODING) {
        if (word == HTTP_WORD_GZIP && c->weight != ZERO) {
            c->takes_gzip = true;
        }
    } else if (word == HTTP_WORD_CONTINUE) {
        c->expects_continue = true;
    } else if (c->value_state != BEFORE) {
        c->expects_other = true;
    }
    element_begin(c);
}

static void list_byte(struct http_connection *c, uint8_t byte) {
    if (byte == ',') {
        element_end(c);
    } else if (byte == ';') {
        c->value_state = PARAMETERS;
    } else if (c->value_state == PARAMETERS) {
        if (byte == '=') {
            c->weight = ZERO;
        } else if (c->weight == ZERO && byte >= '1' && byte <= '9') {
            c->weight = MORE;
        }
    } else if (byte == ' ' || byte == '\t') {
        c->value_state = c->value_state == BEFORE ? BEFORE : AFTER;
#if HTTP_RUNS
    } else if (c->value_state == BEFORE) {
        /* The words of lists come last in the table. */
        http_match_word_from(&c->word, HTTP_WORD_CLOSE, http_lower(byte));
        c->value_state = INSIDE;
#endif
    } else {
        /* A second word makes it none that is known. */
        http_match_byte(c->server, HTTP_TABLE_WORDS, &c->word, c->value_state == AFTER ? 0 : http_lower(byte));
        c->value_state = INSIDE;
    }
}

/* Entity tags, compared weakly: W/ does not matter (RFC 9110, 13.1.2). */
static void etag_byte(struct http_connection *c, uint8_t byte) {
    const FSDATA_CONSTANT uint8_t *digits = c->data;
    unsigned at = c->etag_position - 1u;
    if (digits == NULL) {
        return;
    }
    if (c->etag_position == OUTSIDE) {
        if (byte == '"') {
            c->etag_position++;
        } else if (byte == '*') {
            c->holds_plain = c->holds_gzip = true;
        }
    } else if (byte == '"') {
        if (at == FSDATA_ETAG_DIGITS) {
            c->holds_plain = true;
        } else if (at == FSDATA_ETAG_DIGITS + 1) {
            c->holds_gzip = true;
        }
        c->etag_position = OUTSIDE;
    } else if ((at < FSDATA_ETAG_DIGITS && byte == digits[at]) || (at == FSDATA_ETAG_DIGITS && byte == GZIP_LETTER)) {
        c->etag_position++;
    } else {
        c->etag_position = MISMATCH;
    }
}

static bool is_list(const struct http_connection *c) {
    return c->field >= HTTP_WORD_ACCEPT_ENCODING && c->field <= HTTP_WORD_EXPECT;
}

#if HTTP_RUNS
bool http_field_is_unread(const struct http_connection *c) {
    bool is_compared = c->field == HTTP_WORD_IF_NONE_MATCH && c->data != NULL;
    return !is_list(c) && c->field != HTTP_WORD_HOST && c->field != HTTP_WORD_CONTENT_LENGTH && !is_compared;
}

bool http_field_is_before_value(const struct http_connection *c) {
    return c->field != HTTP_WORD_IF_NONE_MATCH && c->value_state == BEFORE;
}

bool http_field_is_in_host(const struct http_connection *c) {
    return c->field == HTTP_WORD_HOST && c->value_state == INSIDE;
}

bool http_field_is_in_word(const struct http_connection *c) { return is_list(c) && c->value_state == INSIDE; }
#endif

HTTP_FAST void http_field_byte(struct http_connection *c, uint8_t byte) {
    if (is_list(c)) {
        list_byte(c, byte);
    } else if (c->field == HTTP_WORD_HOST || c->field == HTTP_WORD_CONTENT_LENGTH) {
        single_byte(c, byte);
    } else if (c->field == HTTP_WORD_IF_NONE_MATCH) {
        etag_byte(c, byte);
    }
}

void http_field_end(struct http_connection *c) {
    if (is_list(c)) {
        element_end(c);
    } else if (c->field == HTTP_WORD_CONTENT_LENGTH && c->value_state == BEFORE) {
        http_fail(c, HTTP_BAD_REQUEST);
    }
}

/* What is wrong with a whole header, HTTP_OK if nothing is. What could be read in two ways is never answered as asked.
 */
static enum http_status verdict(const struct http_connection *c) {
    bool is_post = c->request.method == HTTP_POST;
    if ((!c->is_http10 && c->hosts == 0) || (c->has_transfer_encoding && (c->lengths != 0 || c->is_http10))) {
        return HTTP_BAD_REQUEST;
    }
    if (c->has_transfer_encoding) {
        return HTTP_NOT_IMPLEMENTED;
    }
    if (c->status != HTTP_OK) {
        return c->status;
    }
    if (c->expects_other && !c->is_http10) {
        return HTTP_EXPECTATION_FAILED;
    }
    if (is_post && c->lengths == 0) {
        return HTTP_LENGTH_REQUIRED;
    }
    if (c->body_left > HTTP_BODY_LIMIT) {
        return HTTP_CONTENT_TOO_LARGE;
    }
    return is_post && c->body_left != 0 && !c->is_form ? HTTP_UNSUPPORTED_MEDIA_TYPE : HTTP_OK;
}

void http_header_end(struct http_connection *c) {
    enum http_status status = verdict(c);
    bool is_bodiless = status == HTTP_NOT_FOUND || status == HTTP_METHOD_NOT_ALLOWED;
    if (status != HTTP_OK && !(is_bodiless && c->body_left == 0)) {
        http_fail(c, status);
        return;
    }
    /* A body that nobody wants is not read: it ends the connection. */
    bool has_unwanted_body = c->body_left != 0 && c->request.method != HTTP_POST;
    if (has_unwanted_body || (c->is_http10 && !c->keeps_alive)) {
        c->closes = true;
    }
    if (c->body_left == 0 || has_unwanted_body) {
        http_respond(c);
    } else if (c->expects_continue && !c->is_http10) {
        http_continue(c);
    } else {
        c->state = HTTP_BODY;
    }
}

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The request line, and the order of lines in a header, byte by byte (RFC 9112, 2 to 5).
 *
 * What one server would read differently from another is refused: line ends other than CR LF, spaces where none belong,
 * folded lines. Values of header fields are in http_field.c, parameters in http_form.c. */
#include "http_internal.h"

/* Of the digit in HTTP/1. */
#define MAJOR_POSITION 5u

static void path_byte(struct http_connection *c, uint8_t byte) {
    http_match_byte(c->server, HTTP_TABLE_FILES, &c->file, byte);
    http_match_byte(c->server, HTTP_TABLE_HANDLERS, &c->handler, byte);
}

/* The path is whole: what answers it is known, and whether it takes this method. */
static void path_end(struct http_connection *c) {
    const struct http_handler *handler = http_handler_of(c);
    if (c->escape != 0) {
        http_fail(c, HTTP_BAD_REQUEST);
    } else if (handler != NULL) {
        uint8_t method = c->request.method == HTTP_HEAD ? HTTP_GET : c->request.method;
        c->status = (handler->methods & method) != 0 ? HTTP_OK : HTTP_METHOD_NOT_ALLOWED;
        c->has_parameters = c->status == HTTP_OK;
    } else if (!http_match_is_whole(c->server, HTTP_TABLE_FILES, &c->file)) {
        c->status = HTTP_NOT_FOUND;
    } else if (c->request.method == HTTP_POST) {
        c->status = HTTP_METHOD_NOT_ALLOWED;
    }
}

static void method_byte(struct http_connection *c, uint8_t byte) {
    if (byte == ' ' && c->line_bytes > 1) {
        enum http_word word = http_word_found(c);
        if (word > HTTP_WORD_POST) {
            http_fail(c, HTTP_NOT_IMPLEMENTED);
            return;
        }
        c->request.method = word == HTTP_WORD_GET ? HTTP_GET : word == HTTP_WORD_HEAD ? HTTP_HEAD : HTTP_POST;
        c->state = HTTP_TARGET;
        http_match_begin(&c->word);
    } else if (http_is_token(byte)) {
        http_match_byte(c->server, HTTP_TABLE_WORDS, &c->word, byte);
    } else {
        http_fail(c, HTTP_BAD_REQUEST);
    }
}

/* The end of a path or of a query; a target has no spaces, no fragment and no bytes outside of ASCII (RFC 3986, 2). */
static void target_byte(struct http_connection *c, uint8_t byte) {
    if (byte == ' ' || (byte == '?' && c->state == HTTP_PATH)) {
        if (c->state == HTTP_PATH) {
            c->state = HTTP_QUERY;
            path_end(c);
        } else {
            http_form_end(c);
        }
        if (byte == ' ' && c->state == HTTP_QUERY) {
            c->state = HTTP_VERSION;
            http_match_begin(&c->word);
        }
    } else if (byte <= ' ' || byte == '#' || byte >= 127) {
        http_fail(c, HTTP_BAD_REQUEST);
    } else if (c->state == HTTP_QUERY) {
        http_form_byte(c, byte);
    } else if ((byte = http_unescape(c, byte)) != 0) {
        path_byte(c, byte);
    }
}

#if HTTP_RUNS
void http_path_end(struct http_connection *c) { target_byte(c, ' '); }
#endif

/* http://host/path: the host is skipped, Host says the same (RFC 9112, 3.2.2). */
static void absolute_byte(struct http_connection *c, uint8_t byte) {
    if (c->state == HTTP_SCHEME) {
        http_match_byte(c->server, HTTP_TABLE_WORDS, &c->word, http_lower(byte));
        if (http_word_found(c) == HTTP_WORD_SCHEME) {
            c->state = HTTP_AUTHORITY;
            c->value_state = 0;
        } else if (c->word.index > HTTP_WORD_SCHEME) {
            http_fail(c, HTTP_BAD_REQUEST);
        }
    } else if (http_is_host(byte)) {
        c->value_state = 1;
    } else if (c->value_state != 0 && (byte == '/' || byte == '?' || byte == ' ')) {
        c->state = HTTP_PATH;
        path_byte(c, '/');
        if (byte != '/') {
            target_byte(c, byte);
        }
    } else {
        http_fail(c, HTTP_BAD_REQUEST);
    }
}

static void version_byte(struct http_connection *c, uint8_t byte) {
    bool is_right = true;
    if (c->state == HTTP_VERSION) {
        unsigned position = c->word.position;
        http_match_byte(c->server, HTTP_TABLE_WORDS, &c->word, byte);
        if (http_word_found(c) == HTTP_WORD_VERSION) {
            c->state = HTTP_MINOR;
        } else if (c->word.index > HTTP_WORD_VERSION) {
            http_fail(c, position == MAJOR_POSITION ? HTTP_VERSION_NOT_SUPPORTED : HTTP_BAD_REQUEST);
        }
        return;
    }
    if (c->state == HTTP_MINOR) {
        is_right = byte >= '0' && byte <= '9';
        c->is_http10 = byte == '0';
    } else {
        is_right = byte == '\r';
    }
    c->state++;
    if (!is_right) {
        http_fail(c, HTTP_BAD_REQUEST);
    }
}

static void line_feed(struct http_connection *c, uint8_t byte) {
    if (byte != '\n') {
        http_fail(c, HTTP_BAD_REQUEST);
    } else if (c->state == HTTP_LAST_LINE_FEED) {
        http_header_end(c);
    } else {
        c->state = c->state == HTTP_LINE_FEED ? HTTP_FIELD : HTTP_METHOD;
        c->line_bytes = 0;
        http_match_begin(&c->word);
    }
}

static void name_byte(struct http_connection *c, uint8_t byte) {
    if (byte == '\r' && c->state == HTTP_FIELD) {
        c->state = HTTP_LAST_LINE_FEED;
    } else if (byte == ':' && c->state == HTTP_NAME) {
        c->state = HTTP_VALUE;
        http_field_begin(c);
    } else if (http_is_token(byte)) {
        c->state = HTTP_NAME;
        http_match_byte(c->server, HTTP_TABLE_WORDS, &c->word, http_lower(byte));
    } else {
        http_fail(c, HTTP_BAD_REQUEST);
    }
}

static void value_byte(struct http_connection *c, uint8_t byte) {
    if (byte == '\r') {
        c->state = HTTP_LINE_FEED;
        http_field_end(c);
    } else if ((byte < ' ' && byte != '\t') || byte == 127) {
        http_fail(c, HTTP_BAD_REQUEST);
    } else {
        http_field_byte(c, byte);
    }
}

static bool is_too_long(struct http_connection *c) {
    unsigned limit = HTTP_FIELD_LINE_LIMIT;
    enum http_status status = HTTP_HEADER_TOO_LARGE;
    if (c->state < HTTP_LINE_FEED) {
        limit = HTTP_REQUEST_LINE_LIMIT;
        status = HTTP_URI_TOO_LONG;
    }
    if (++c->line_bytes > limit || ++c->header_bytes > HTTP_HEADER_LIMIT) {
        http_fail(c, c->line_bytes > limit ? status : HTTP_HEADER_TOO_LARGE);
        return true;
    }
    return false;
}

static void body_byte(struct http_connection *c, uint8_t byte) {
    http_form_byte(c, byte);
    if (--c->body_left == 0 && c->state == HTTP_BODY) {
        http_form_end(c);
        if (c->state == HTTP_BODY) {
            http_respond(c);
        }
    }
}

HTTP_FAST void http_request_byte(struct http_connection *c, uint8_t byte) {
    if (c->state == HTTP_BODY) {
        body_byte(c, byte);
        return;
    }
    if (is_too_long(c)) {
        return;
    }
    switch (c->state) {
    case HTTP_AT_REST:
    case HTTP_METHOD:
        /* An empty line before a request is skipped (RFC 9112, 2.2). */
        if (byte == '\r' && c->line_bytes == 1) {
            c->state = HTTP_EMPTY_LINE_FEED;
            return;
        }
        c->state = HTTP_METHOD;
        method_byte(c, byte);
        return;
    case HTTP_TARGET:
        c->state = byte == '/' ? HTTP_PATH : HTTP_SCHEME;
        if (byte == '/') {
            path_byte(c, byte);
            return;
        }
        absolute_byte(c, byte);
        return;
    case HTTP_SCHEME:
    case HTTP_AUTHORITY:
        absolute_byte(c, byte);
        return;
    case HTTP_PATH:
    case HTTP_QUERY:
        target_byte(c, byte);
        return;
    case HTTP_EMPTY_LINE_FEED:
    case HTTP_LINE_FEED:
    case HTTP_LAST_LINE_FEED:
        line_feed(c, byte);
        return;
    case HTTP_FIELD:
    case HTTP_NAME:
        name_byte(c, byte);
        return;
    case HTTP_VALUE:
        value_byte(c, byte);
        return;
    default: /* HTTP_VERSION to HTTP_REQUEST_LINE_END */
        version_byte(c, byte);
        return;
    }
}

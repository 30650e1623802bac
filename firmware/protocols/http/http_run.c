/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Bytes in a row that only go on with what has begun: of a name that is found so far, of a path, of a value that nobody
 * reads; and the few that usually end such a row. They are most of a request, so they are taken in loops of a few
 * cycles a byte. All else is left to the steps of http_request.c, which would take these bytes to the same end. */
#include "http_internal.h"

#include <string.h>

#if HTTP_RUNS

#define DELETE 127u
#define FIRST_FIELD HTTP_WORD_ACCEPT_ENCODING
/* What small letters have and capitals have not. */
#define CASE_BIT 0x20u
#define STATES_WITH_RUNS                                                                                               \
    (1u << HTTP_AT_REST | 1u << HTTP_PATH | 1u << HTTP_VERSION | 1u << HTTP_REQUEST_LINE_END | 1u << HTTP_FIELD |      \
     1u << HTTP_NAME | 1u << HTTP_VALUE)

/* Letters, digits and some marks: what most bytes are, found without a table. None is an escape or ends a path. */
static bool is_letter(uint8_t byte) {
    uint8_t letter = byte | CASE_BIT;
    return letter >= 'a' && letter <= 'z';
}

static bool is_plain(uint8_t byte) { return is_letter(byte) || (byte >= '-' && byte <= '9') || byte == '_'; }

static bool is_token(uint8_t byte) { return is_letter(byte) || http_is_token(byte); }

/* How many more bytes the limits allow before one is too many. */
static size_t room(const struct http_connection *c) {
    unsigned line = c->state < HTTP_LINE_FEED ? HTTP_REQUEST_LINE_LIMIT : HTTP_FIELD_LINE_LIMIT;
    unsigned left = line > c->line_bytes ? line - c->line_bytes : 0;
    unsigned header_left = HTTP_HEADER_LIMIT > c->header_bytes ? HTTP_HEADER_LIMIT - c->header_bytes : 0;
    return left < header_left ? left : header_left;
}

static bool is_value(uint8_t byte) { return (byte >= ' ' && byte != DELETE) || byte == '\t'; }

static size_t unread_value(const uint8_t *bytes, size_t count) {
    size_t run = 0;
    while (run < count && is_value(bytes[run])) {
        run++;
    }
    return run;
}

static size_t spaces(const uint8_t *bytes, size_t count) {
    size_t run = 0;
    while (run < count && (bytes[run] == ' ' || bytes[run] == '\t')) {
        run++;
    }
    return run;
}

static size_t host(const uint8_t *bytes, size_t count) {
    size_t run = 0;
    while (run < count && ((is_plain(bytes[run]) && bytes[run] != '/') || http_is_host(bytes[run]))) {
        run++;
    }
    return run;
}

/* Whether a byte is what a name has there, in small letters; none is at a name's end. */
static bool is_same_letter(uint8_t wanted, uint8_t byte) {
    return wanted != 0 && (byte == wanted || (byte == (wanted ^ CASE_BIT) && wanted >= 'a'));
}

/* A field's name, or an element of a list. One that is in no table goes on as long as it is a token, as all are that
 * begin like one in the table. */
static size_t word(struct http_connection *c, const uint8_t *bytes, size_t count) {
    const FSDATA_CONSTANT char *name = http_match_name(c->server, HTTP_TABLE_WORDS, &c->word);
    unsigned position = c->word.position;
    size_t run = 0;
    if (name == NULL) {
        while (run < count && is_token(bytes[run])) {
            run++;
        }
    } else {
        name += position;
        while (run < count && is_same_letter((uint8_t)name[run], bytes[run])) {
            run++;
        }
    }
    c->word.position = position + run;
    return run;
}

/* A path that is whole in these bytes, with the blank behind it: what it names is found at once. */
static size_t whole_path(struct http_connection *c, const uint8_t *bytes, size_t count) {
    size_t run = 0;
    while (run < count && is_plain(bytes[run])) {
        run++;
    }
    if (run == count || bytes[run] != ' ') {
        return 0;
    }
    http_match_file(c->server, &c->file, bytes, run);
    http_match_handler(c->server, &c->handler, bytes, run);
    http_path_end(c);
    return run + 1;
}

/* A path as it is in the tables. */
static size_t path(struct http_connection *c, const uint8_t *bytes, size_t count) {
    size_t whole = c->file.position == 1 ? whole_path(c, bytes, count) : 0;
    if (whole != 0) {
        return whole;
    }
    const FSDATA_CONSTANT char *file = http_match_name(c->server, HTTP_TABLE_FILES, &c->file);
    const FSDATA_CONSTANT char *handler = http_match_name(c->server, HTTP_TABLE_HANDLERS, &c->handler);
    unsigned position = c->file.position;
    size_t run = 0;
    while (run < count && is_plain(bytes[run]) && (file == NULL || (uint8_t)file[position + run] == bytes[run]) &&
           (handler == NULL || (uint8_t)handler[position + run] == bytes[run])) {
        run++;
    }
    c->file.position = c->handler.position = position + run;
    return run;
}

/* How nearly every request begins. */
static size_t begin(struct http_connection *c, const uint8_t *bytes, size_t count) {
    static const char usual[] = "GET /";
    size_t run = sizeof usual - 1;
    if (c->line_bytes != 0 || count < run || memcmp(bytes, usual, run) != 0) {
        return 0;
    }
    c->request.method = HTTP_GET;
    c->state = HTTP_PATH;
    http_match_byte(c->server, HTTP_TABLE_FILES, &c->file, '/');
    http_match_byte(c->server, HTTP_TABLE_HANDLERS, &c->handler, '/');
    return run;
}

/* How nearly every request line ends, but for CR LF. */
static size_t version(struct http_connection *c, const uint8_t *bytes, size_t count) {
    static const char usual[] = "HTTP/1.1";
    size_t run = sizeof usual - 1;
    if (c->word.position != 0 || count < run || memcmp(bytes, usual, run) != 0) {
        return 0;
    }
    c->state = HTTP_REQUEST_LINE_END;
    return run;
}

/* Of a value that is read: what goes on with it, or a byte that is a step of it. */
static size_t read_value(struct http_connection *c, const uint8_t *bytes, size_t count) {
    size_t run = 0;
    if (http_field_is_before_value(c)) {
        run = spaces(bytes, count);
    } else if (http_field_is_in_host(c)) {
        run = host(bytes, count);
    } else if (http_field_is_in_word(c)) {
        run = word(c, bytes, count);
    }
    if (run == 0 && count != 0 && is_value(bytes[0])) {
        http_field_byte(c, bytes[0]);
        run = 1;
    }
    return run;
}

static bool is_line_end(const uint8_t *bytes, size_t count) {
    return count >= 2 && bytes[0] == '\r' && bytes[1] == '\n';
}

/* The first byte of a name, where it may be one; or the empty line that ends a header. */
static size_t name_begin(struct http_connection *c, const uint8_t *bytes, size_t count) {
    if (is_line_end(bytes, count)) {
        http_header_end(c);
        return 2;
    }
    if (count == 0 || !is_token(bytes[0])) {
        return 0;
    }
    c->state = HTTP_NAME;
    http_match_word_from(&c->word, FIRST_FIELD, http_lower(bytes[0]));
    return 1;
}

/* The end of a line, where the next one is a field or the header's last. */
static size_t line_end(struct http_connection *c, const uint8_t *bytes, size_t count) {
    if (!is_line_end(bytes, count)) {
        return 0;
    }
    if (c->state == HTTP_VALUE) {
        c->state = HTTP_LINE_FEED;
        http_field_end(c);
        /* A field that is not valid has been answered. */
        if (c->state != HTTP_LINE_FEED) {
            return 1;
        }
    }
    c->state = HTTP_FIELD;
    http_match_begin(&c->word);
    return 2;
}

/* A name and its colon. */
static size_t name(struct http_connection *c, const uint8_t *bytes, size_t count) {
    size_t run = word(c, bytes, count);
    if (run < count && bytes[run] == ':') {
        run++;
        c->state = HTTP_VALUE;
        http_field_begin(c);
    }
    return run;
}

static size_t row(struct http_connection *c, const uint8_t *bytes, size_t count) {
    size_t run = 0;
    switch (c->state) {
    case HTTP_AT_REST:
        return begin(c, bytes, count);
    case HTTP_PATH:
        return c->escape == 0 ? path(c, bytes, count) : 0;
    case HTTP_VERSION:
        return version(c, bytes, count);
    case HTTP_FIELD:
        return name_begin(c, bytes, count);
    case HTTP_NAME:
        return name(c, bytes, count);
    case HTTP_VALUE:
        run = http_field_is_unread(c) ? unread_value(bytes, count) : read_value(c, bytes, count);
        break;
    default: /* HTTP_REQUEST_LINE_END */
        break;
    }
    return run != 0 ? run : line_end(c, bytes, count);
}

/* Takes what rows `bytes` begin with, and says how long they are; 0 where the next byte is a step. */
HTTP_FAST size_t http_run(struct http_connection *c, const uint8_t *bytes, size_t count) {
    size_t most = room(c);
    size_t run = 0;
    size_t line_begin = 0;
    size_t last = 1;
    if (count < most) {
        most = count;
    }
    while (last != 0 && (STATES_WITH_RUNS >> c->state & 1) != 0) {
        bool is_in_line = c->state != HTTP_FIELD;
        last = row(c, bytes + run, most - run);
        run += last;
        if (is_in_line && c->state == HTTP_FIELD) {
            c->line_bytes = 0;
            line_begin = run;
        }
    }
    c->line_bytes += run - line_begin;
    c->header_bytes += run;
    return run;
}

#endif

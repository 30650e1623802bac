/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What is sent: one stage after the other, each a text in flash or a few bytes in the connection.
 *
 * A plain file is one piece, head and body, straight from flash. A page with tags or a handler's body is literal text
 * and values: where all values fit the slot they are taken once and the length is said before; else what was taken is
 * sent first and the rest in chunks, or until the connection closes for HTTP/1.0 (RFC 9112, 6 and 7). */
#include "http_internal.h"

#include <string.h>

enum stage { STATUS, REASON, HEADER, CONNECTION, FRAMING, LENGTH, PIECES, DATA, END, INTERIM_END };
/* Of the piece that is sent: its literal text, values that were taken before, what is still to be asked for. */
enum phase { LITERAL, TAKEN, ASKED };

#define BLANK_LINE_BYTES 2u
/* A value in the slot stands behind its length. */
#define LENGTH_BYTES 1u

static const char blank_line[] = "\r\n";
/* A handler's body: one piece without literal text, whose value has a number that no tag has. */
#define BODY_TAG FSDATA_TAG_LIMIT
static const _Alignas(4) uint8_t body_piece[4] = {0, 0, 0, BODY_TAG};
/* In the order of enum http_status; one text, because a table of pointers would be as large as the walk. */
static const char reasons[] = "200 OK\r\n\0"
                              "303 See Other\r\n\0"
                              "304 Not Modified\r\n\0"
                              "400 Bad Request\r\n\0"
                              "403 Forbidden\r\n\0"
                              "404 Not Found\r\n\0"
                              "405 Method Not Allowed\r\n\0"
                              "411 Length Required\r\n\0"
                              "413 Content Too Large\r\n\0"
                              "414 URI Too Long\r\n\0"
                              "415 Unsupported Media Type\r\n\0"
                              "417 Expectation Failed\r\n\0"
                              "431 Request Header Fields Too Large\r\n\0"
                              "500 Internal Server Error\r\n\0"
                              "501 Not Implemented\r\n\0"
                              "503 Service Unavailable\r\n\0"
                              "505 HTTP Version Not Supported\r\n";

static const char *reason_of(enum http_status status) {
    const char *reason = reasons;
    while (status-- != 0) {
        reason += strlen(reason) + 1;
    }
    return reason;
}

static void say(struct http_connection *c, const char *text) {
    c->send = (const uint8_t *)text;
    c->send_bytes = strlen(text);
}

/* Whether the version says already what becomes of the connection. */
static bool needs_no_connection_line(const struct http_connection *c) { return c->closes == c->is_http10; }

static const char *connection_line(const struct http_connection *c) {
    if (needs_no_connection_line(c)) {
        return "";
    }
    return c->closes ? "Connection: close\r\n" : "Connection: keep-alive\r\n";
}

/* The number in `digits`, ended by the blank line. No division: the processor has none. */
static void write_decimal(char *digits, uint32_t number) {
    static const uint32_t powers[] = {10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    bool has_begun = false;
    for (unsigned place = 0; place < sizeof powers / sizeof powers[0]; place++) {
        char digit = '0';
        while (number >= powers[place]) {
            number -= powers[place];
            digit++;
        }
        has_begun |= digit != '0' || powers[place] == 1;
        if (has_begun) {
            *digits++ = digit;
        }
    }
    memcpy(digits, "\r\n\r\n", 5);
}

/* A chunk's size line, after the line end of the chunk before. Pieces have 24 bits. */
static void say_chunk_size(struct http_connection *c) {
    char *out = c->digits + 2;
    memcpy(c->digits, "\r\n??????\r\n", 11);
    for (int shift = 20; shift >= 0; shift -= 4) {
        *out++ = "0123456789abcdef"[c->data_bytes >> shift & 15];
    }
    say(c, c->digits + (c->has_chunk ? 0 : 2));
    c->has_chunk = true;
}

static bool has_value(const struct http_connection *c) { return fsdata_piece_tag(c->pieces, 0) != FSDATA_NO_TAG; }

/* Who writes the value at the end of a piece. */
static http_write *writer_of(const struct http_connection *c) {
    unsigned tag = fsdata_piece_tag(c->pieces, 0);
    return tag == BODY_TAG ? c->write : http_tag_writer(c->server, tag);
}

static size_t ask(struct http_connection *c, size_t offset, char *out, size_t capacity) {
    http_write *write = writer_of(c);
    size_t count = write == NULL || capacity == 0 ? 0 : write(c->write_context, offset, out, capacity);
    return count < capacity ? count : capacity;
}

static void next_of_pieces(struct http_connection *c) {
    c->phase = LITERAL;
    c->value_offset = 0;
    c->pieces_left--;
    c->pieces += sizeof body_piece;
}

/* Takes each value once, as long as the slot has room. An entry that reaches the slot's end may not be whole. */
static bool take_values(struct http_connection *c, uint32_t *bytes) {
    const FSDATA_CONSTANT uint8_t *pieces = c->pieces;
    uint16_t pieces_left = c->pieces_left;
    bool fits = true;
    while (c->pieces_left != 0 && fits) {
        *bytes += fsdata_piece_bytes(c->pieces, 0);
        if (has_value(c)) {
            size_t room = HTTP_SLOT_BYTES - LENGTH_BYTES - c->fill;
            size_t count = ask(c, 0, c->slot + c->fill + LENGTH_BYTES, room);
            c->slot[c->fill] = (char)count;
            c->fill += count + LENGTH_BYTES;
            *bytes += count;
            fits = count < room;
        }
        next_of_pieces(c);
    }
    c->pieces = pieces;
    c->pieces_left = pieces_left;
    return fits;
}

/* The next bytes of a body of pieces in `data`; false at its end. */
static bool next_data(struct http_connection *c) {
    c->data_bytes = 0;
    while (c->data_bytes == 0 && c->pieces_left != 0) {
        if (c->phase == LITERAL) {
            c->phase = c->taken < c->fill ? TAKEN : ASKED;
            c->data = c->literal;
            c->data_bytes = fsdata_piece_bytes(c->pieces, 0);
            c->literal += c->data_bytes;
            if (!has_value(c)) {
                next_of_pieces(c);
            }
        } else if (c->phase == TAKEN) {
            c->data = (const uint8_t *)c->slot + c->taken + LENGTH_BYTES;
            c->data_bytes = (uint8_t)c->slot[c->taken];
            c->taken += c->data_bytes + LENGTH_BYTES;
            if (c->taken < HTTP_SLOT_BYTES) {
                next_of_pieces(c);
            } else {
                c->phase = ASKED;
                c->value_offset = c->data_bytes;
            }
        } else {
            c->data = (const uint8_t *)c->slot;
            c->data_bytes = ask(c, c->value_offset, c->slot, HTTP_SLOT_BYTES);
            c->value_offset += c->data_bytes;
            if (c->data_bytes < HTTP_SLOT_BYTES) {
                next_of_pieces(c);
            }
        }
    }
    return c->data_bytes != 0;
}

static void send_data(struct http_connection *c) {
    c->send = c->data;
    c->send_bytes = c->data_bytes;
}

/* Whether a body of pieces has a length that can be said, and what else marks its end. */
static void measure(struct http_connection *c) {
    uint32_t bytes = 0;
    if (c->pieces_left == 0) {
        return;
    }
    if (take_values(c, &bytes)) {
        c->is_measured = true;
        write_decimal(c->digits, bytes);
    } else if (c->is_http10) {
        c->closes = true;
    } else {
        c->is_chunked = true;
    }
}

static void frame(struct http_connection *c) {
    c->stage = PIECES;
    if (c->pieces_left == 0) {
        send_data(c);
        c->stage = END;
    } else if (c->is_measured) {
        say(c, "Content-Length: ");
        c->stage = LENGTH;
    } else {
        say(c, c->is_chunked ? "Transfer-Encoding: chunked\r\n\r\n" : blank_line);
    }
}

static void next_piece(struct http_connection *c) {
    c->stage = PIECES;
    if (!next_data(c)) {
        c->stage = END;
        if (c->is_chunked) {
            say(c, c->has_chunk ? "\r\n0\r\n\r\n" : "0\r\n\r\n");
        }
    } else if (c->is_chunked) {
        c->stage = DATA;
        say_chunk_size(c);
    } else {
        send_data(c);
    }
}

static void end(struct http_connection *c) {
    if (c->stage == INTERIM_END) {
        c->state = HTTP_BODY;
    } else if (c->closes) {
        c->state = HTTP_FINISHED;
    } else {
        http_rest(c);
    }
}

/* Goes on until there is something to send, or the answer has ended. */
HTTP_FAST void http_next(struct http_connection *c) {
    while (c->send_bytes == 0 && c->state == HTTP_REPLYING) {
        switch (c->stage) {
        case STATUS:
            say(c, "HTTP/1.1 ");
            c->stage = REASON;
            break;
        case REASON:
            say(c, reason_of(c->status));
            c->stage = HEADER;
            break;
        case HEADER:
            c->send = c->head;
            c->send_bytes = c->head_bytes;
            c->stage = CONNECTION;
            break;
        case CONNECTION:
            say(c, connection_line(c));
            c->stage = FRAMING;
            break;
        case FRAMING:
            frame(c);
            break;
        case LENGTH:
            say(c, c->digits);
            c->stage = PIECES;
            break;
        case DATA:
            send_data(c);
            c->stage = PIECES;
            break;
        case PIECES:
            next_piece(c);
            break;
        default:
            end(c);
            break;
        }
    }
}

static size_t write_reason(void *context, size_t offset, char *out, size_t capacity) {
    const char *reason = context;
    size_t count = 0;
    while (count < capacity && reason[offset + count] != '\0') {
        out[count] = reason[offset + count];
        count++;
    }
    return count;
}

static void respond_with_file(struct http_connection *c, unsigned file) {
    struct fsdata_body body;
    bool gzip = c->takes_gzip && fsdata_body(c->server->files, file, true, &body);
    if (!gzip) {
        fsdata_body(c->server->files, file, false, &body);
    }
    c->head = body.head;
    c->head_bytes = body.head_bytes;
    c->pieces = fsdata_pieces(c->server->files, file, &c->pieces_left);
    c->literal = body.head + body.head_bytes + BLANK_LINE_BYTES;
    c->write_context = c->server->context;
    c->stage = HEADER;
    if (body.validators != 0 && (gzip ? c->holds_gzip : c->holds_plain)) {
        c->stage = STATUS;
        c->status = HTTP_NOT_MODIFIED;
        c->head += body.validators;
        c->head_bytes -= body.validators;
    } else if (c->request.method != HTTP_HEAD && c->pieces == NULL) {
        c->data = body.head + body.head_bytes;
        c->data_bytes += body.body_bytes;
        /* Where no line stands between, head and body are one piece. */
        if (needs_no_connection_line(c)) {
            c->send = body.head;
            c->send_bytes = body.head_bytes + c->data_bytes;
            c->stage = END;
        }
    }
}

static const char *allow_line(const struct http_connection *c) {
    const struct http_handler *handler = http_handler_of(c);
    uint8_t methods = handler == NULL ? HTTP_GET : handler->methods;
    return methods == HTTP_GET    ? "Allow: GET, HEAD\r\n"
           : methods == HTTP_POST ? "Allow: POST\r\n"
                                  : "Allow: GET, HEAD, POST\r\n";
}

/* Status, header lines and a body from a writer; the status itself where neither is given. Nothing is asked of a writer
 * for HEAD. */
static void respond_with_text(struct http_connection *c, struct http_answer *answer) {
    if (answer->status != HTTP_OK && answer->header == NULL && answer->write == NULL) {
        answer->header = answer->status == HTTP_METHOD_NOT_ALLOWED ? allow_line(c) : HTTP_CONTENT_TYPE("text/plain");
        answer->write = write_reason;
        answer->context = (void *)(uintptr_t)reason_of(answer->status);
    }
    const char *header = answer->header == NULL ? "" : answer->header;
    c->stage = STATUS;
    c->status = answer->status;
    c->head = (const uint8_t *)header;
    c->head_bytes = strlen(header);
    c->pieces = c->literal = body_piece;
    c->write = answer->write;
    c->write_context = answer->context;
    c->pieces_left = 1;
}

/* The file that answers, or FSDATA_NONE and a filled-in `answer`. */
static unsigned find_answer(struct http_connection *c, struct http_answer *answer) {
    const struct fsdata *files = c->server->files;
    const struct http_handler *handler = http_handler_of(c);
    if (c->status == HTTP_NOT_FOUND) {
        return files->not_found;
    }
    if (c->status != HTTP_OK) {
        return FSDATA_NONE;
    }
    if (handler == NULL) {
        return c->file.index;
    }
    handler->answer(c->server->context, &c->request, answer);
    if (answer->file == NULL) {
        return FSDATA_NONE;
    }
    unsigned file = fsdata_find(files, answer->file);
    if (file == FSDATA_NONE) {
        answer->status = HTTP_INTERNAL_ERROR;
    }
    return file;
}

void http_respond(struct http_connection *c) {
    struct http_answer answer = {.status = c->status, .context = c->server->context};
    unsigned file = find_answer(c, &answer);
    c->state = HTTP_REPLYING;
    c->fill = 0;
    c->data = (const uint8_t *)blank_line;
    c->data_bytes = BLANK_LINE_BYTES;
    if (file == FSDATA_NONE) {
        respond_with_text(c, &answer);
    } else {
        respond_with_file(c, file);
    }
    if (c->request.method == HTTP_HEAD) {
        c->pieces_left = 0;
    }
    measure(c);
    http_next(c);
}

void http_fail(struct http_connection *c, enum http_status status) {
    c->status = status;
    c->closes = true;
    http_respond(c);
}

void http_continue(struct http_connection *c) {
    say(c, "HTTP/1.1 100 Continue\r\n\r\n");
    c->stage = INTERIM_END;
    c->state = HTTP_REPLYING;
}

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the files of the HTTP server share: states, words, and the steps from one file to the next. */
#ifndef AIRWIRE_HTTP_INTERNAL_H
#define AIRWIRE_HTTP_INTERNAL_H

#include "http.h"

/* Where a connection is in a request; REPLYING and above take no more of it. */
enum http_state {
    HTTP_AT_REST,
    HTTP_EMPTY_LINE_FEED,
    HTTP_METHOD,
    HTTP_TARGET,
    HTTP_SCHEME,
    HTTP_AUTHORITY,
    HTTP_PATH,
    HTTP_QUERY,
    HTTP_VERSION,
    HTTP_MINOR,
    HTTP_REQUEST_LINE_END,
    HTTP_LINE_FEED,
    HTTP_FIELD,
    HTTP_NAME,
    HTTP_VALUE,
    HTTP_LAST_LINE_FEED,
    HTTP_BODY,
    HTTP_REPLYING,
    HTTP_FINISHED,
};

/* Words that mean something: methods first, then fields, those whose values are lists in one row. */
#define HTTP_WORDS(WORD)                                                                                               \
    WORD(GET, "GET")                                                                                                   \
    WORD(HEAD, "HEAD")                                                                                                 \
    WORD(POST, "POST")                                                                                                 \
    WORD(SCHEME, "http://")                                                                                            \
    WORD(VERSION, "HTTP/1.")                                                                                           \
    WORD(ACCEPT_ENCODING, "accept-encoding")                                                                           \
    WORD(CONNECTION, "connection")                                                                                     \
    WORD(CONTENT_TYPE, "content-type")                                                                                 \
    WORD(EXPECT, "expect")                                                                                             \
    WORD(CONTENT_LENGTH, "content-length")                                                                             \
    WORD(HOST, "host")                                                                                                 \
    WORD(IF_NONE_MATCH, "if-none-match")                                                                               \
    WORD(TRANSFER_ENCODING, "transfer-encoding")                                                                       \
    WORD(CLOSE, "close")                                                                                               \
    WORD(KEEP_ALIVE, "keep-alive")                                                                                     \
    WORD(GZIP, "gzip")                                                                                                 \
    WORD(CONTINUE, "100-continue")                                                                                     \
    WORD(FORM, "application/x-www-form-urlencoded")

#define HTTP_WORD_NUMBER(name, text) HTTP_WORD_##name,
enum http_word { HTTP_WORDS(HTTP_WORD_NUMBER) HTTP_WORD_COUNT, HTTP_WORD_NONE = HTTP_WORD_COUNT };

enum http_table { HTTP_TABLE_WORDS, HTTP_TABLE_FILES, HTTP_TABLE_HANDLERS };

/* http_match.c: names found byte by byte. */
void http_match_begin(struct http_match *match);
void http_match_byte(const struct http_server *server, enum http_table table, struct http_match *match, uint8_t byte);
/* The name that is found so far, NULL when no name begins with all bytes so far. */
const FSDATA_CONSTANT char *http_match_name(const struct http_server *server, enum http_table table,
                                            const struct http_match *match);
/* The file, or the handler, whose path is a slash, which was found, and these bytes. */
void http_match_file(const struct http_server *server, struct http_match *match, const uint8_t *bytes, size_t count);
void http_match_handler(const struct http_server *server, struct http_match *match, const uint8_t *bytes, size_t count);
/* The first word that begins with a byte, from a place of the table on. */
void http_match_word_from(struct http_match *match, unsigned first, uint8_t byte);
bool http_match_is_whole(const struct http_server *server, enum http_table table, const struct http_match *match);
enum http_word http_word_found(const struct http_connection *c);
bool http_is_token(uint8_t byte);
uint8_t http_lower(uint8_t byte);

/* http_request.c: the request line and the order of a header. */
void http_request_byte(struct http_connection *c, uint8_t byte);
/* The blank behind a path. */
void http_path_end(struct http_connection *c);

/* http_run.c: bytes in a row with which nothing new begins. */
size_t http_run(struct http_connection *c, const uint8_t *bytes, size_t count);

/* http_field.c: values of header fields, and what they mean together. */
void http_field_begin(struct http_connection *c);
void http_field_byte(struct http_connection *c, uint8_t byte);
void http_field_end(struct http_connection *c);
void http_header_end(struct http_connection *c);
bool http_is_host(uint8_t byte);
/* Of the value that is under way: nobody reads it; it has not begun; it is a host, or a word of a list, that has. */
bool http_field_is_unread(const struct http_connection *c);
bool http_field_is_before_value(const struct http_connection *c);
bool http_field_is_in_host(const struct http_connection *c);
bool http_field_is_in_word(const struct http_connection *c);

/* http_form.c: parameters. */
uint8_t http_unescape(struct http_connection *c, uint8_t byte);
void http_form_byte(struct http_connection *c, uint8_t byte);
void http_form_end(struct http_connection *c);

/* http_response.c: what is sent. */
void http_fail(struct http_connection *c, enum http_status status);
void http_respond(struct http_connection *c);
void http_continue(struct http_connection *c);
void http_next(struct http_connection *c);

/* http_connection.c */
void http_rest(struct http_connection *c);
http_write *http_tag_writer(const struct http_server *server, unsigned number);

/* The method allowed on the path's handler; NULL without a handler. */
const struct http_handler *http_handler_of(const struct http_connection *c);

#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Names found byte by byte, without storing them: methods, header fields, paths.
 *
 * A match holds the first entry of its table that begins with all bytes so far. Entries before it have been ruled out,
 * so the next byte looks only further on, and a table is walked once however long a name is. */
#include "http_internal.h"

#include <string.h>

#define MEMBER(name, text) char name[sizeof text];
#define TEXT(name, text) text,
#define INITIAL(name, text) text[0],
#define OFFSET(name, text) offsetof(struct words, name),
struct words {
    HTTP_WORDS(MEMBER)
};
static const struct words words = {HTTP_WORDS(TEXT)};
/* A quarter of the size of pointers. */
static const uint8_t word_offsets[HTTP_WORD_COUNT] = {HTTP_WORDS(OFFSET)};

/* Whether a name begins with the same bytes as another, which has as many. */
static bool begins_alike(const FSDATA_CONSTANT char *name, const FSDATA_CONSTANT char *other, size_t count) {
    while (count != 0 && *name == *other) {
        name++;
        other++;
        count--;
    }
    return count == 0;
}

static const FSDATA_CONSTANT char *name_in(const struct http_server *server, enum http_table table, unsigned index) {
    switch (table) {
    case HTTP_TABLE_WORDS:
        return index < HTTP_WORD_COUNT ? (const char *)&words + word_offsets[index] : NULL;
    case HTTP_TABLE_FILES:
        return index < server->files->file_count ? fsdata_name(server->files, index) : NULL;
    default:
        return index < server->handler_count ? server->handlers[index].path : NULL;
    }
}

#if HTTP_RUNS
const FSDATA_CONSTANT char *http_match_name(const struct http_server *server, enum http_table table,
                                            const struct http_match *match) {
    return name_in(server, table, match->index);
}

/* Whether a name is a slash and these bytes (0), or comes before (1) or behind (2) that. */
static unsigned order(const FSDATA_CONSTANT char *name, const uint8_t *bytes, size_t count) {
    if (*name != '/') {
        return (uint8_t)*name < '/' ? 1 : 2;
    }
    name++;
    while (count != 0 && (uint8_t)*name == *bytes) {
        name++;
        bytes++;
        count--;
    }
    uint8_t ends_with = count != 0 ? *bytes : 0;
    return (uint8_t)*name == ends_with ? 0 : (uint8_t)*name < ends_with ? 1 : 2;
}

/* The files of an image are sorted. */
void http_match_file(const struct http_server *server, struct http_match *match, const uint8_t *bytes, size_t count) {
    unsigned first = 0;
    unsigned end = server->files->file_count;
    unsigned where = 1;
    match->index = end;
    match->position += count;
    while (where != 0 && first < end) {
        unsigned middle = (first + end) / 2;
        where = order(fsdata_name(server->files, middle), bytes, count);
        if (where == 0) {
            match->index = middle;
        } else if (where == 1) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
}

/* Handlers are few, in the order of the application. */
void http_match_handler(const struct http_server *server, struct http_match *match, const uint8_t *bytes,
                        size_t count) {
    unsigned index = 0;
    while (index < server->handler_count && order(server->handlers[index].path, bytes, count) != 0) {
        index++;
    }
    match->index = index;
    match->position += count;
}

void http_match_word_from(struct http_match *match, unsigned first, uint8_t byte) {
    static const char initials[HTTP_WORD_COUNT] = {HTTP_WORDS(INITIAL)};
    while (first < HTTP_WORD_COUNT && (uint8_t)initials[first] != byte) {
        first++;
    }
    match->index = first;
    match->position = 1;
}
#endif

void http_match_begin(struct http_match *match) { match->index = match->position = 0; }

HTTP_FAST void http_match_byte(const struct http_server *server, enum http_table table, struct http_match *match,
                               uint8_t byte) {
    const FSDATA_CONSTANT char *before = name_in(server, table, match->index);
    const FSDATA_CONSTANT char *name = before;
    while (name != NULL && (byte == 0 || (name != before && !begins_alike(name, before, match->position)) ||
                            (uint8_t)name[match->position] != byte)) {
        name = name_in(server, table, ++match->index);
    }
    match->position++;
}

bool http_match_is_whole(const struct http_server *server, enum http_table table, const struct http_match *match) {
    const FSDATA_CONSTANT char *name = name_in(server, table, match->index);
    return name != NULL && name[match->position] == '\0';
}

enum http_word http_word_found(const struct http_connection *c) {
    return http_match_is_whole(c->server, HTTP_TABLE_WORDS, &c->word) ? c->word.index : HTTP_WORD_NONE;
}

uint8_t http_lower(uint8_t byte) { return byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte; }

/* RFC 9110, 5.6.2: letters, digits and !#$%&'*+-.^_`|~, a bit for each character. */
bool http_is_token(uint8_t byte) {
    static const uint32_t tokens[4] = {0, 0x03FF6CFA, 0xC7FFFFFE, 0x57FFFFFF};
    return byte < 128 && (tokens[byte >> 5] >> (byte & 31) & 1) != 0;
}

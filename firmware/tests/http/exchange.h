/* A client in memory for tests of the HTTP server: sends a text in pieces of any size, collects the answer.
 *
 * The site is the folder site/; tags and handlers of every kind are in exchange.c. */
#ifndef AIRWIRE_EXCHANGE_H
#define AIRWIRE_EXCHANGE_H

#include "http.h"

#include <string.h>

#define EXCHANGE_BYTES 65536u
#define HOST "Host: board\r\n"

struct exchange {
    struct http_connection connection;
    uint32_t now_ms;
    char answer[EXCHANGE_BYTES];
    size_t answer_bytes;
    size_t sends; /* pieces that the answer consisted of */
};

/* What handlers and tags of the tests have seen and shall say. */
struct exchange_application {
    char parameters[1024]; /* name=value; of each, with ! after a value that was cut off */
    unsigned answers;
    unsigned counter_reads;
    size_t long_value_bytes;
    const char *note;
};

extern struct fsdata exchange_files;
extern struct http_server exchange_server;
extern struct exchange_application exchange_application;

/* Opens the site; every test begins here. */
void exchange_begin(struct exchange *exchange);

/* Sends `count` bytes, `step` at a time, and takes all that is answered, `take` bytes at a time. */
void exchange_bytes(struct exchange *exchange, const void *bytes, size_t count, size_t step, size_t take);

/* The same for a text in one step; returns the answer to it alone. */
const char *exchange_text(struct exchange *exchange, const char *text);

/* One exchange on a connection of its own. */
const char *exchange_once(const char *text);

/* What tests ask of an answer. */
static inline bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }
static inline bool has(const char *text, const char *part) { return strstr(text, part) != NULL; }
static inline const char *body_of(const char *answer) {
    const char *blank = strstr(answer, "\r\n\r\n");
    return blank == NULL ? "(no blank line)" : blank + 4;
}

#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sizes and times of the HTTP server, each to be set otherwise with -D or in a file that -include names.
 *
 * The defaults suit many connections in little memory. Nothing of a request is stored but what is listed here, so the
 * limits on lines and header cost no memory. */
#ifndef AIRWIRE_HTTP_CONFIG_H
#define AIRWIRE_HTTP_CONFIG_H

#include <assert.h>

/* Per connection: one parameter (name, value and two zero bytes), or the values of a page's tags. */
#ifndef HTTP_SLOT_BYTES
#define HTTP_SLOT_BYTES 64
#endif

/* Per connection: words that belong to a handler from its first parameter to its answer. */
#ifndef HTTP_STATE_WORDS
#define HTTP_STATE_WORDS 2
#endif

#ifndef HTTP_REQUEST_LINE_LIMIT
#define HTTP_REQUEST_LINE_LIMIT 1024
#endif

#ifndef HTTP_FIELD_LINE_LIMIT
#define HTTP_FIELD_LINE_LIMIT 4096
#endif

/* Request line and header together. */
#ifndef HTTP_HEADER_LIMIT
#define HTTP_HEADER_LIMIT 8192
#endif

#ifndef HTTP_BODY_LIMIT
#define HTTP_BODY_LIMIT 1024
#endif

/* From a request's first byte to its last. */
#ifndef HTTP_REQUEST_MS
#define HTTP_REQUEST_MS 10000u
#endif

/* Without a request, from the connection's begin or from the last answer. */
#ifndef HTTP_IDLE_MS
#define HTTP_IDLE_MS 15000u
#endif

/* Without progress of an answer. */
#ifndef HTTP_RESPONSE_MS
#define HTTP_RESPONSE_MS 20000u
#endif

/* Goes before the functions that run for each byte, such as __attribute__((section(".ram_code"))). */
#ifndef HTTP_FAST
#define HTTP_FAST
#endif

/* 1 takes bytes in rows where it can (http_run.c): a request takes half of the time, and the server 1.2 KB more flash.
 */
#ifndef HTTP_RUNS
#define HTTP_RUNS 0
#endif

static_assert(HTTP_SLOT_BYTES >= 16 && HTTP_SLOT_BYTES <= 255, "positions in the slot have eight bits");
static_assert(HTTP_STATE_WORDS >= 1, "a handler's state has at least a word");
static_assert(HTTP_HEADER_LIMIT < 65536 && HTTP_FIELD_LINE_LIMIT < 65536, "lines are counted in 16 bits");

#endif

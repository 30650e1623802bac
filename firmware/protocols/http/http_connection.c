/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The server's outside: connections opened, bytes taken, deadlines. See http.h for how a transport uses it. */
#include "http_internal.h"

#include <string.h>

/* Ready for the next request: all that a request leaves behind is zero again. */
void http_rest(struct http_connection *c) {
    const struct http_server *server = c->server;
    uint32_t since_ms = c->since_ms;
    memset(c, 0, offsetof(struct http_connection, slot));
    c->server = server;
    c->since_ms = since_ms;
}

void http_open(struct http_connection *c, const struct http_server *server, uint32_t now_ms) {
    c->server = server;
    c->since_ms = now_ms;
    http_rest(c);
}

const struct http_handler *http_handler_of(const struct http_connection *c) {
    return http_match_is_whole(c->server, HTTP_TABLE_HANDLERS, &c->handler) ? &c->server->handlers[c->handler.index]
                                                                            : NULL;
}

HTTP_FAST size_t http_receive(struct http_connection *c, const uint8_t *bytes, size_t count, uint32_t now_ms) {
    size_t taken = 0;
    if (c->state == HTTP_FINISHED) {
        return count;
    }
    if (c->state == HTTP_AT_REST && count != 0) {
        c->since_ms = now_ms;
    }
    while (taken < count && c->state < HTTP_REPLYING) {
#if HTTP_RUNS
        taken += http_run(c, bytes + taken, count - taken);
#endif
        if (taken < count && c->state < HTTP_REPLYING) {
            http_request_byte(c, bytes[taken++]);
        }
    }
    if (taken != 0 && c->state >= HTTP_REPLYING) {
        c->since_ms = now_ms;
    }
    return taken;
}

size_t http_pending(const struct http_connection *c, const FSDATA_CONSTANT uint8_t **bytes) {
    *bytes = c->send;
    return c->send_bytes;
}

void http_sent(struct http_connection *c, size_t count, uint32_t now_ms) {
    if (count == 0 || c->send_bytes == 0) {
        return;
    }
    if (count > c->send_bytes) {
        count = c->send_bytes;
    }
    c->since_ms = now_ms;
    c->send += count;
    c->send_bytes -= count;
    if (c->send_bytes == 0) {
        http_next(c);
    }
}

bool http_is_finished(const struct http_connection *c) { return c->state == HTTP_FINISHED; }

bool http_is_overdue(const struct http_connection *c, uint32_t now_ms) {
    uint32_t limit_ms = HTTP_REQUEST_MS;
    if (c->state == HTTP_AT_REST) {
        limit_ms = HTTP_IDLE_MS;
    } else if (c->state >= HTTP_REPLYING) {
        limit_ms = HTTP_RESPONSE_MS;
    }
    return now_ms - c->since_ms > limit_ms;
}

size_t http_busy_answer(const uint8_t **bytes) {
    static const char answer[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n"
                                 "Connection: close\r\n\r\n";
    *bytes = (const uint8_t *)answer;
    return sizeof answer - 1;
}

http_write *http_tag_writer(const struct http_server *server, unsigned number) {
    const FSDATA_CONSTANT char *name = fsdata_tag_name(server->files, number);
    for (unsigned tag = 0; tag < server->tag_count; tag++) {
        if (fsdata_is_same(server->tags[tag].name, name)) {
            return server->tags[tag].write;
        }
    }
    return NULL;
}

const FSDATA_CONSTANT char *http_missing_tag(const struct http_server *server) {
    for (unsigned number = 0; number < server->files->tag_count; number++) {
        if (http_tag_writer(server, number) == NULL) {
            return fsdata_tag_name(server->files, number);
        }
    }
    return NULL;
}

/* HTTP/1.1 requests (RFC 9112) as far as a server of two pages needs them: where a request ends, its method and path, and
 * whether the connection stays open. Requests with a body are refused. */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "text.h"

#define REQUEST_BYTES 1024u

struct http_request {
    char text[REQUEST_BYTES];
    /* So many bytes are there, and so many of them make the first whole request. */
    uint32_t bytes, taken;
};

struct http_answer {
    uint32_t status;
    int big, only_head, close;
};

static inline void http_reset(struct http_request *request) { request->bytes = request->taken = 0; }

/* Where what was received goes, and how much of it. */
static inline char *http_end(struct http_request *request) { return request->text + request->bytes; }
static inline uint32_t http_room(const struct http_request *request) { return REQUEST_BYTES - request->bytes; }
static inline void http_received(struct http_request *request, uint32_t count) { request->bytes += count; }

static inline char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter; }

/* Whether `word`, in small letters, stands at a place of the text. */
static inline int stands_at(const char *text, const char *end, const char *word) {
    for (; *word; text++, word++) {
        if (text == end || lower(*text) != *word) {
            return 0;
        }
    }
    return 1;
}

/* Whether a header line of that name, given with its colon, holds a word. */
static inline int header_holds(const struct http_request *request, const char *name, const char *word) {
    const char *end = request->text + request->taken;
    int inside = 0;
    for (const char *at = request->text; at < end; at++) {
        if (*at == '\n') {
            inside = stands_at(at + 1, end, name);
        } else if (inside && stands_at(at, end, word)) {
            return 1;
        }
    }
    return 0;
}

/* Forgets the request that was answered; whether another one is whole, or can never be. */
static inline int http_take_request(struct http_request *request) {
    uint32_t left = request->bytes - request->taken;
    for (uint32_t index = 0; request->taken && index < left; index++) {
        request->text[index] = request->text[request->taken + index];
    }
    request->bytes = left;
    request->taken = 0;
    for (uint32_t index = 3; index < left; index++) {
        if (stands_at(request->text + index - 3, request->text + left, "\r\n\r\n")) {
            request->taken = index + 1;
            return 1;
        }
    }
    return left == REQUEST_BYTES;
}

static inline struct http_answer http_answer(const struct http_request *request) {
    const char *text = request->text, *end = text + request->taken;
    struct http_answer answer = {.status = 200, .only_head = stands_at(text, end, "head ")};
    if (!request->taken || header_holds(request, "content-length:", "") || header_holds(request, "transfer-encoding:", "")) {
        return (struct http_answer){.status = 400, .close = 1};
    }
    if (!answer.only_head && !stands_at(text, end, "get ")) {
        return (struct http_answer){.status = 405, .close = 1};
    }
    const char *path = text + (answer.only_head ? 5 : 4), *version = path;
    while (*version != ' ' && *version != '\r') {
        version++;
    }
    answer.big = stands_at(path, version, "/big") && version - path == 4;
    if (!answer.big && !(version - path == 1 && *path == '/')) {
        answer.status = 404;
    }
    answer.close = stands_at(version, end, " http/1.1") ? header_holds(request, "connection:", "close")
                                                        : !header_holds(request, "connection:", "keep-alive");
    return answer;
}

/* The head of an answer; returns its length, which is under 128 bytes. */
static inline uint32_t http_head(char *head, const struct http_answer *answer, uint32_t body_bytes) {
    const char *reason = answer->status == 200   ? " OK"
                         : answer->status == 404 ? " Not Found"
                         : answer->status == 405 ? " Method Not Allowed"
                                                 : " Bad Request";
    char *end = append_text(head, "HTTP/1.1 ");
    end = append_text(append_decimal(end, answer->status), reason);
    end = append_text(end, answer->big ? "\r\nContent-Type: text/plain" : "\r\nContent-Type: text/html");
    end = append_decimal(append_text(end, "\r\nContent-Length: "), body_bytes);
    end = append_text(end, answer->close ? "\r\nConnection: close\r\n\r\n" : "\r\nConnection: keep-alive\r\n\r\n");
    return (uint32_t)(end - head);
}

#endif

/* A page of literal text and tags whose values have any lengths, as the bytes say: its body is what it should be, with
 * a length that was said exactly, in chunks, or until the connection closes; no value is asked for twice. */
#include "http.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_LIMIT 24u
#define TEXT_LIMIT_BYTES 32768u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Longer than the offset alone can tell: which value is next, and how far it was read. */
static uint16_t value_bytes[PIECE_LIMIT];
static unsigned next_value;
static size_t next_offset;

static void check(bool is_right, const char *sentence) {
    if (!is_right) {
        fprintf(stderr, "%s\n", sentence);
        abort();
    }
}

static size_t write_value(void *context, size_t offset, char *out, size_t capacity) {
    (void)context;
    check(offset == next_offset, "a value is not read on from where it was left");
    check(next_value < PIECE_LIMIT, "more values are asked for than there are tags");
    size_t left = value_bytes[next_value] - offset;
    size_t written = left < capacity ? left : capacity;
    memset(out, 'A' + (char)next_value, written);
    next_offset += written;
    if (written < capacity) {
        next_value++;
        next_offset = 0;
    }
    return written;
}

static void put(uint8_t *at, uint32_t number, unsigned bytes) {
    while (bytes-- != 0) {
        *at++ = (uint8_t)number;
        number >>= 8;
    }
}

/* An image with one page "/" of `pieces` pieces, each with so much literal text, then the tag. Returns its size. */
static uint32_t make_image(uint8_t *image, const uint16_t *literal_bytes, unsigned pieces) {
    static const char head[] = "HTTP/1.1 200 OK\r\n\r\n";
    uint32_t name = 32 + 40 + 20, records = name + 4, text = records + 4 * pieces, end = text + sizeof head - 1;
    memset(image, 0, end);
    memcpy(image + text, head, sizeof head - 1);
    for (unsigned piece = 0; piece < pieces; piece++) {
        put(image + records + 4 * piece, literal_bytes[piece], 4);
        memset(image + end, 'a' + (char)piece, literal_bytes[piece]);
        end += literal_bytes[piece];
    }
    memcpy(image, "AWFS\1\0\xFF\xFF", 8);
    put(image + 8, end, 4);
    put(image + 12, 1, 2);
    put(image + 14, 1, 2);
    put(image + 16, 32, 4);
    put(image + 20, 72, 4);
    put(image + 32, name, 4);
    put(image + 36, text, 4);
    put(image + 40, sizeof head - 3, 2);
    put(image + 44, end - text - (sizeof head - 1), 4);
    put(image + 64, records, 4);
    put(image + 68, pieces, 2);
    image[72] = 't';
    image[name] = '/';
    return end;
}

static size_t unchunk(char *body, size_t count) {
    size_t used = 0;
    char *from = body, *end = body + count;
    for (;;) {
        char *after;
        unsigned long bytes = strtoul(from, &after, 16);
        check(isxdigit((unsigned char)*from) && end - after >= 4 && memcmp(after, "\r\n", 2) == 0,
              "a chunk has no size line");
        check((unsigned long)(end - after) >= bytes + 4, "a chunk is longer than the answer");
        memmove(body + used, after + 2, bytes);
        used += bytes;
        from = after + 2 + bytes;
        check(memcmp(from, "\r\n", 2) == 0, "a chunk does not end with a line end");
        from += 2;
        if (bytes == 0) {
            check(from == end, "bytes follow the last chunk");
            return used;
        }
    }
}

static size_t answer_to(const struct http_server *server, bool is_http10, char *answer) {
    static struct http_connection connection;
    const char *request = is_http10 ? "GET / HTTP/1.0\r\n\r\n" : "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    const uint8_t *pending;
    size_t used = 0, count;
    http_open(&connection, server, 0);
    http_receive(&connection, (const uint8_t *)request, strlen(request), 0);
    while ((count = http_pending(&connection, &pending)) != 0) {
        check(used + count < 2 * TEXT_LIMIT_BYTES, "the answer does not end");
        memcpy(answer + used, pending, count);
        used += count;
        http_sent(&connection, count, 0);
    }
    check(http_is_finished(&connection) == is_http10, "the connection is kept or closed against its version");
    answer[used] = '\0';
    return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static _Alignas(4) uint8_t image[TEXT_LIMIT_BYTES];
    static char wanted[TEXT_LIMIT_BYTES], answer[2 * TEXT_LIMIT_BYTES + 1];
    uint16_t literal_bytes[PIECE_LIMIT];
    unsigned pieces = 0;
    size_t wanted_bytes = 0;
    for (size_t at = 1; at + 2 <= count && pieces < PIECE_LIMIT; at += 2, pieces++) {
        literal_bytes[pieces] = bytes[at];
        value_bytes[pieces] = bytes[at + 1];
        memset(wanted + wanted_bytes, 'a' + (char)pieces, bytes[at]);
        memset(wanted + wanted_bytes + bytes[at], 'A' + (char)pieces, bytes[at + 1]);
        wanted_bytes += bytes[at] + bytes[at + 1];
    }
    static const struct http_tag tags[] = {{"t", write_value}};
    struct fsdata files;
    if (pieces == 0) {
        return 0;
    }
    uint32_t image_bytes = make_image(image, literal_bytes, pieces);
    check(fsdata_open(&files, image, image_bytes) == FSDATA_SOUND, "the page is not sound");
    struct http_server server = {.files = &files, .tags = tags, .tag_count = 1};
    next_value = 0;
    next_offset = 0;
    size_t answer_bytes = answer_to(&server, bytes[0] & 1, answer);
    char *body = strstr(answer, "\r\n\r\n");
    check(body != NULL, "the answer has no blank line");
    body += 4;
    size_t body_bytes = answer_bytes - (size_t)(body - answer);
    const char *length = strstr(answer, "Content-Length: ");
    if (strstr(answer, "Transfer-Encoding: chunked") != NULL) {
        body_bytes = unchunk(body, body_bytes);
    } else if (length != NULL) {
        check(strtoul(length + 16, NULL, 10) == body_bytes, "the length is not that of the body");
    }
    check(body_bytes == wanted_bytes && memcmp(body, wanted, wanted_bytes) == 0, "the body is another");
    check(next_value == pieces, "not every value was asked for");
    return 0;
}

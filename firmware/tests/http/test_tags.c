/* Pages with tags, and bodies from writers: lengths, chunks, and that each value is taken once. */
#include "exchange.h"

#include "expect.h"

#include <ctype.h>
#include <stdlib.h>

#define GET(path) "GET " path " HTTP/1.1\r\n" HOST "\r\n"

/* A chunked body put together again; says so where it is not well-formed (RFC 9112, 7.1). */
static const char *unchunked(const char *body) {
    static char whole[EXCHANGE_BYTES];
    size_t used = 0;
    for (;;) {
        char *end;
        unsigned long bytes = strtoul(body, &end, 16);
        if (!isxdigit((unsigned char)*body) || strncmp(end, "\r\n", 2) != 0 || strlen(end + 2) < bytes + 2) {
            return "(broken chunk)";
        }
        memcpy(whole + used, end + 2, bytes);
        used += bytes;
        body = end + 2 + bytes;
        if (strncmp(body, "\r\n", 2) != 0) {
            return "(chunk without its end)";
        }
        body += 2;
        if (bytes == 0) {
            whole[used] = '\0';
            return *body == '\0' ? whole : "(bytes after the last chunk)";
        }
    }
}

/* What long.shtml comes to. */
static const char *expected_page(size_t long_value_bytes) {
    static char page[EXCHANGE_BYTES];
    size_t used = (size_t)sprintf(page, "<p>1[");
    for (size_t n = 0; n < long_value_bytes; n++) {
        page[used++] = 'a' + n % 26;
    }
    strcpy(page + used, "]2</p>\n");
    return page;
}

static void values_that_fit_have_an_exact_length(void) {
    const char *answer = exchange_once(GET("/"));
    EXPECT_TEXT(answer, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\n"
                        "Content-Length: 16\r\n\r\n<p>hello, 1</p>\n");
    EXPECT_TEXT(exchange_once(GET("/live.json.shtml")),
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
                "Content-Length: 15\r\n\r\n{\"counter\": 1}\n");
    EXPECT_TEXT(body_of(exchange_once(GET("/only-tags.shtml"))), "12");
    EXPECT(has(exchange_once(GET("/empty.shtml")), "Content-Length: 0\r\n\r\n"));
}

/* Every length of the value around the slot's size, so that it ends at each place of the slot and beyond. */
static void longer_values_come_in_chunks_and_are_taken_once(void) {
    static struct exchange exchange;
    unsigned chunked = 0;
    for (size_t bytes = 0; bytes <= 3 * HTTP_SLOT_BYTES + 2; bytes++) {
        exchange_begin(&exchange);
        exchange_application.long_value_bytes = bytes;
        const char *answer = exchange_text(&exchange, GET("/long.shtml"));
        bool is_chunked = has(answer, "Transfer-Encoding: chunked\r\n");
        EXPECT(is_chunked != has(answer, "Content-Length: "));
        EXPECT_TEXT(is_chunked ? unchunked(body_of(answer)) : body_of(answer), expected_page(bytes));
        EXPECT_EQUAL(exchange_application.counter_reads, 2);
        EXPECT(!http_is_finished(&exchange.connection));
        chunked += is_chunked;
    }
    EXPECT(chunked > HTTP_SLOT_BYTES);
    EXPECT(chunked < 3 * HTTP_SLOT_BYTES);
}

static void an_old_client_gets_the_rest_until_the_connection_closes(void) {
    static struct exchange exchange;
    exchange_begin(&exchange);
    const char *answer = exchange_text(&exchange, "GET /long.shtml HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT(!has(answer, "Transfer-Encoding") && !has(answer, "Content-Length") && !has(answer, "keep-alive"));
    EXPECT_TEXT(body_of(answer), expected_page(1000));
    EXPECT(http_is_finished(&exchange.connection));
    exchange_begin(&exchange);
    exchange_application.long_value_bytes = 3;
    answer = exchange_text(&exchange, "GET /long.shtml HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT(has(answer, "Connection: keep-alive\r\nContent-Length: 15\r\n"));
    EXPECT(!http_is_finished(&exchange.connection));
}

static void the_last_chunk_comes_even_after_nothing(void) {
    static struct exchange exchange;
    exchange_begin(&exchange);
    static char note[HTTP_SLOT_BYTES + 1];
    memset(note, 'x', HTTP_SLOT_BYTES - 1);
    exchange_application.note = note;
    const char *answer = exchange_text(&exchange, GET("/note"));
    EXPECT(has(answer, "Transfer-Encoding: chunked"));
    EXPECT_TEXT(unchunked(body_of(answer)), note);
    note[HTTP_SLOT_BYTES - 2] = '\0';
    answer = exchange_text(&exchange, GET("/note"));
    EXPECT(has(answer, "Content-Length: 62\r\n") || HTTP_SLOT_BYTES != 64);
    EXPECT_TEXT(body_of(answer), note);
}

/* A writer that says it wrote more than it was given room for is believed no further than that. */
static size_t write_too_much(void *context, size_t offset, char *out, size_t capacity) {
    (void)context;
    memset(out, 'y', capacity);
    return offset < 500 ? capacity + 1000 : 0;
}

static void a_writer_that_miscounts_does_no_harm(void) {
    static struct exchange exchange;
    exchange_begin(&exchange);
    static const struct http_tag tags[] = {{"greeting", write_too_much}};
    struct http_server server = exchange_server;
    server.tags = tags;
    server.tag_count = 1;
    http_open(&exchange.connection, &server, 0);
    const char *page = unchunked(body_of(exchange_text(&exchange, GET("/"))));
    size_t written = HTTP_SLOT_BYTES - 1;
    while (written < 500) {
        written += HTTP_SLOT_BYTES;
    }
    EXPECT_EQUAL(strspn(page + strlen("<p>"), "y"), written);
    EXPECT_TEXT(page + strlen("<p>") + written, ", </p>\n");
}

static void a_tag_without_a_value_is_empty_and_found_at_start(void) {
    static struct exchange exchange;
    exchange_begin(&exchange);
    EXPECT(http_missing_tag(&exchange_server) == NULL);
    struct http_server server = exchange_server;
    server.tag_count = 3;
    EXPECT_TEXT(http_missing_tag(&server), "long");
    http_open(&exchange.connection, &server, 0);
    EXPECT_TEXT(body_of(exchange_text(&exchange, GET("/long.shtml"))), "<p>1[]2</p>\n");
}

int main(void) {
    values_that_fit_have_an_exact_length();
    longer_values_come_in_chunks_and_are_taken_once();
    an_old_client_gets_the_rest_until_the_connection_closes();
    the_last_chunk_comes_even_after_nothing();
    a_writer_that_miscounts_does_no_harm();
    a_tag_without_a_value_is_empty_and_found_at_start();
    return expect_result();
}

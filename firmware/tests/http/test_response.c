/* What is answered: files and their variants, conditions, connections kept and closed, pipelines. */
#include "exchange.h"

#include "expect.h"

#define GET(path) "GET " path " HTTP/1.1\r\n" HOST

/* The ETag of an answer, with its quotes. */
static const char *etag_of(const char *answer) {
    static char etag[64];
    const char *begin = strstr(answer, "ETag: ");
    etag[0] = '\0';
    if (begin != NULL) {
        size_t bytes = strcspn(begin + 6, "\r");
        memcpy(etag, begin + 6, bytes);
        etag[bytes] = '\0';
    }
    return etag;
}

static void a_file_is_one_piece_from_flash(void) {
    struct exchange exchange;
    exchange_begin(&exchange);
    const char *answer = exchange_text(&exchange, GET("/plain.txt") "\r\n");
    EXPECT(begins(answer, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 14\r\n"));
    EXPECT_TEXT(body_of(answer), "A plain text.\n");
    EXPECT_EQUAL(exchange.sends, 1);
    EXPECT(begins(exchange_text(&exchange, GET("/nothing.txt") "\r\n"), "HTTP/1.1 200"));
    EXPECT_TEXT(body_of(exchange.answer), "");
}

static void head_is_get_without_its_body(void) {
    static char with_body[4096];
    strcpy(with_body, exchange_once(GET("/plain.txt") "\r\n"));
    const char *answer = exchange_once("HEAD /plain.txt HTTP/1.1\r\n" HOST "\r\n");
    EXPECT_EQUAL(strlen(answer), strlen(with_body) - 14);
    EXPECT(strncmp(answer, with_body, strlen(answer)) == 0);
    answer = exchange_once("HEAD / HTTP/1.1\r\n" HOST "\r\n");
    EXPECT(begins(answer, "HTTP/1.1 200 OK\r\nContent-Type: text/html"));
    EXPECT_TEXT(body_of(answer), "");
    EXPECT_EQUAL(exchange_application.counter_reads, 0);
    EXPECT_TEXT(body_of(exchange_once("HEAD /note HTTP/1.1\r\n" HOST "\r\n")), "");
    EXPECT_TEXT(body_of(exchange_once("HEAD /nowhere HTTP/1.1\r\n" HOST "\r\n")), "");
}

static void gzip_is_sent_to_those_that_take_it(void) {
    static const char *const takers[] = {"gzip", "GZIP", "deflate, gzip", "gzip;q=0.001", "gzip ; q=1.0, br;q=0"};
    static const char *const others[] = {"",         "deflate",   "gzip;q=0", "gzip;q=0.000", "gzipped", "gzi",
                                         "zip gzip", "gzip gzip", "gz ip",    "x-gzip",       "q=gzip",  "*;q=0"};
    char text[256];
    for (size_t n = 0; n < sizeof takers / sizeof takers[0]; n++) {
        snprintf(text, sizeof text, GET("/style.css") "Accept-Encoding: %s\r\n\r\n", takers[n]);
        EXPECT(has(exchange_once(text), "Content-Encoding: gzip\r\n"));
    }
    for (size_t n = 0; n < sizeof others / sizeof others[0]; n++) {
        snprintf(text, sizeof text, GET("/style.css") "Accept-Encoding: %s\r\n\r\n", others[n]);
        EXPECT(!has(exchange_once(text), "Content-Encoding"));
        EXPECT(has(exchange_once(text), "Vary: Accept-Encoding\r\n"));
    }
    EXPECT(!has(exchange_once(GET("/style.css") "Connection: gzip\r\n\r\n"), "Content-Encoding"));
    EXPECT(!has(exchange_once(GET("/plain.txt") "Accept-Encoding: gzip\r\n\r\n"), "Content-Encoding"));
}

static void a_page_that_the_client_holds_is_not_sent_again(void) {
    char plain[64], gzip[64], text[512];
    strcpy(plain, etag_of(exchange_once(GET("/style.css") "\r\n")));
    strcpy(gzip, etag_of(exchange_once(GET("/style.css") "Accept-Encoding: gzip\r\n\r\n")));
    EXPECT_EQUAL(strlen(plain), 18);
    EXPECT(strcmp(plain, gzip) != 0);
    const struct {
        const char *format, *etag;
        const char *status;
    } cases[] = {
        {"If-None-Match: %s\r\n", plain, "304"},
        {"If-None-Match: W/%s\r\n", plain, "304"},
        {"If-None-Match: \"other\", \"\", %s\r\n", plain, "304"},
        {"If-None-Match: \"other\"\r\nIf-None-Match: %s , \"x\"\r\n", plain, "304"},
        {"If-None-Match: *%.0s\r\n", plain, "304"},
        {"If-None-Match: %.17s\r\n", plain, "200"},
        {"If-None-Match: \"x%s\r\n", plain + 1, "200"},
        {"If-None-Match: %.10s\"\r\n", plain, "200"},
        {"If-None-Match: %s\r\n", gzip, "200"},
        {"Accept-Encoding: gzip\r\nIf-None-Match: %s\r\n", gzip, "304"},
        {"If-None-Match: %s\r\nAccept-Encoding: gzip\r\n", gzip, "304"},
        {"Accept-Encoding: gzip\r\nIf-None-Match: %s\r\n", plain, "200"},
        {"If-None-Match:%.0s\r\n", plain, "200"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        int used = snprintf(text, sizeof text, GET("/style.css"));
        used += snprintf(text + used, sizeof text - used, cases[n].format, cases[n].etag);
        snprintf(text + used, sizeof text - used, "\r\n");
        const char *answer = exchange_once(text);
        if (strncmp(answer + 9, cases[n].status, 3) != 0) {
            printf("case %zu\n", n);
        }
        EXPECT(strncmp(answer + 9, cases[n].status, 3) == 0);
        if (strcmp(cases[n].status, "304") == 0) {
            EXPECT(begins(answer, "HTTP/1.1 304 Not Modified\r\nETag: "));
            EXPECT(has(answer, "Vary: Accept-Encoding\r\n\r\n") && !has(answer, "Content-"));
            EXPECT_TEXT(body_of(answer), "");
        }
    }
    EXPECT(begins(exchange_once(GET("/") "If-None-Match: *\r\n\r\n"), "HTTP/1.1 200"));
    EXPECT(begins(exchange_once(GET("/note") "If-None-Match: *\r\n\r\n"), "HTTP/1.1 200"));
    EXPECT(begins(exchange_once(GET("/nowhere") "If-None-Match: *\r\n\r\n"), "HTTP/1.1 404"));
}

static void connections_are_kept_as_their_version_says(void) {
    static const struct {
        const char *request;
        bool is_kept;
        const char *line;
    } cases[] = {
        {"GET /plain.txt HTTP/1.1\r\n" HOST "\r\n", true, NULL},
        {"GET /plain.txt HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n", false, "\r\nConnection: close\r\n"},
        {"GET /plain.txt HTTP/1.1\r\n" HOST "Connection: Upgrade, CLOSE\r\n\r\n", false, "\r\nConnection: close\r\n"},
        {"GET /plain.txt HTTP/1.1\r\n" HOST "Connection: closed\r\n\r\n", true, NULL},
        {"GET /plain.txt HTTP/1.0\r\n\r\n", false, NULL},
        {"GET /plain.txt HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true, "\r\nConnection: keep-alive\r\n"},
        {"GET /plain.txt HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false, NULL},
        {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true, "\r\nConnection: keep-alive\r\n"},
        {"GET /nowhere HTTP/1.1\r\n" HOST "\r\n", true, NULL},
        {"GET /nowhere HTTP/1.1 \r\n" HOST "\r\n", false, "\r\nConnection: close\r\n"},
        {"GET /style.css HTTP/1.0\r\nIf-None-Match: *\r\n\r\n", false, NULL},
    };
    struct exchange exchange;
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        exchange_begin(&exchange);
        const char *answer = exchange_text(&exchange, cases[n].request);
        EXPECT_EQUAL(!http_is_finished(&exchange.connection), cases[n].is_kept);
        EXPECT(cases[n].line == NULL ? !has(answer, "Connection:") : has(answer, cases[n].line));
        if (!cases[n].is_kept) {
            EXPECT_TEXT(exchange_text(&exchange, GET("/plain.txt") "\r\n"), "");
        }
    }
}

static void pipelined_requests_are_answered_in_order(void) {
    struct exchange exchange;
    exchange_begin(&exchange);
    const char *answer =
        exchange_text(&exchange, GET("/plain.txt") "\r\n" GET("/") "\r\n" GET(
                                     "/note") "\r\n"
                                              "\r\n" GET("/plain.txt") "Connection: close\r\n\r\n" GET("/") "\r\n");
    const char *order[] = {"A plain text.", "<p>hello, 1</p>", "{}", "A plain text."};
    for (size_t n = 0; n < sizeof order / sizeof order[0]; n++) {
        const char *found = strstr(answer, order[n]);
        EXPECT(found != NULL);
        answer = found == NULL ? answer : found + 1;
    }
    EXPECT(!has(answer, "hello"));
    EXPECT(http_is_finished(&exchange.connection));
    EXPECT_EQUAL(exchange_application.counter_reads, 1);
}

static void nothing_is_taken_while_an_answer_is_sent(void) {
    struct exchange exchange;
    exchange_begin(&exchange);
    const char *both = GET("/plain.txt") "\r\n" GET("/") "\r\n";
    size_t first = strlen(GET("/plain.txt") "\r\n");
    EXPECT_EQUAL(http_receive(&exchange.connection, (const uint8_t *)both, strlen(both), 0), first);
    EXPECT_EQUAL(http_receive(&exchange.connection, (const uint8_t *)both + first, strlen(both) - first, 0), 0);
    const uint8_t *pending;
    size_t count = http_pending(&exchange.connection, &pending);
    EXPECT(count > 14);
    http_sent(&exchange.connection, 10, 0);
    EXPECT_EQUAL(http_pending(&exchange.connection, &pending), count - 10);
    http_sent(&exchange.connection, 2 * count, 0);
    EXPECT_EQUAL(http_pending(&exchange.connection, &pending), 0);
    EXPECT_EQUAL(http_receive(&exchange.connection, (const uint8_t *)both + first, strlen(both) - first, 0),
                 strlen(both) - first);
}

static void a_missing_page_has_a_page_of_its_own(void) {
    const char *answer = exchange_once(GET("/nowhere") "\r\n");
    EXPECT(begins(answer, "HTTP/1.1 404 Not Found\r\nContent-Type: text/html; charset=utf-8\r\n"));
    EXPECT_TEXT(body_of(answer), "<p>Not here: hello</p>\n");
    answer = exchange_once(GET("/about") "\r\n");
    EXPECT(begins(answer, "HTTP/1.1 301 Moved Permanently\r\nLocation: /about/\r\nContent-Length: 0\r\n"));
}

static void handlers_answer_with_texts_statuses_and_pages(void) {
    EXPECT_TEXT(exchange_once(GET("/note") "\r\n"),
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
    EXPECT(begins(exchange_once(GET("/shadowed.txt") "\r\n"), "HTTP/1.1 200 OK\r\nContent-Type: application/json"));
    EXPECT_TEXT(exchange_once("POST /redirect HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n"),
                "HTTP/1.1 303 See Other\r\nLocation: /plain.txt\r\nContent-Length: 0\r\n\r\n");
    EXPECT_TEXT(body_of(exchange_once(GET("/page") "If-None-Match: *\r\n\r\n")), "A plain text.\n");
    EXPECT_TEXT(body_of(exchange_once("POST /page HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n")), "A plain text.\n");
    EXPECT(begins(exchange_once(GET("/missing-page") "\r\n"), "HTTP/1.1 500 Internal Server Error\r\n"));
    EXPECT_TEXT(body_of(exchange_once(GET("/forbidden") "\r\n")), "403 Forbidden\r\n");
}

static void a_client_without_a_place_is_told_so(void) {
    const uint8_t *answer;
    size_t bytes = http_busy_answer(&answer);
    EXPECT(begins((const char *)answer, "HTTP/1.1 503 Service Unavailable\r\n"));
    EXPECT(has((const char *)answer, "Connection: close\r\n"));
    EXPECT_EQUAL(bytes, strlen((const char *)answer));
}

int main(void) {
    a_file_is_one_piece_from_flash();
    head_is_get_without_its_body();
    gzip_is_sent_to_those_that_take_it();
    a_page_that_the_client_holds_is_not_sent_again();
    connections_are_kept_as_their_version_says();
    pipelined_requests_are_answered_in_order();
    nothing_is_taken_while_an_answer_is_sent();
    a_missing_page_has_a_page_of_its_own();
    handlers_answer_with_texts_statuses_and_pages();
    a_client_without_a_place_is_told_so();
    return expect_result();
}

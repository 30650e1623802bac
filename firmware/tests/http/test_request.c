/* Requests as they are read: methods, targets, versions, line ends, header limits, framing of bodies. */
#include "exchange.h"

#include "expect.h"

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }
static bool has(const char *text, const char *part) { return strstr(text, part) != NULL; }

#define EXPECT_STATUS(request, status)                                                                                 \
    do {                                                                                                               \
        const char *answered = exchange_once(request);                                                                 \
        if (!begins(answered, "HTTP/1.1 " status)) {                                                                   \
            printf("%.60s was answered with %.40s\n", request, answered);                                              \
        }                                                                                                              \
        EXPECT(begins(answered, "HTTP/1.1 " status));                                                                  \
    } while (0)

static void a_target_may_be_a_path_or_a_whole_address(void) {
    EXPECT_STATUS("GET /plain.txt HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("GET http://board/plain.txt HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("GET HTTP://board:80/plain.txt?x HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("GET http://board HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("GET http://board?a=b HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("GET http:///plain.txt HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET http://me@board/ HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET https://board/ HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET * HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET board:80 HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET plain.txt HTTP/1.1\r\n" HOST "\r\n", "400");
}

static void paths_are_decoded_and_compared_whole(void) {
    EXPECT_STATUS("GET /two%20words.txt HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("GET /%70lain%2Etxt HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("GET /two+words.txt HTTP/1.1\r\n" HOST "\r\n", "404");
    EXPECT_STATUS("GET /plain.tx HTTP/1.1\r\n" HOST "\r\n", "404");
    EXPECT_STATUS("GET /plain.txt1 HTTP/1.1\r\n" HOST "\r\n", "404");
    EXPECT_STATUS("GET /about/../plain.txt HTTP/1.1\r\n" HOST "\r\n", "404");
    EXPECT_STATUS("GET /about HTTP/1.1\r\n" HOST "\r\n", "301");
    EXPECT_STATUS("GET /about/ HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("GET /counted HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("GET /counte HTTP/1.1\r\n" HOST "\r\n", "404");
    EXPECT_STATUS("GET /% HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET /%4 HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET /%4?a HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET /%zz HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET /plain.txt%00 HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET /plain.txt#top HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET /\xC3\xA4 HTTP/1.1\r\n" HOST "\r\n", "400");
}

static void methods_are_known_refused_or_not_allowed(void) {
    EXPECT_STATUS("HEAD /plain.txt HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("get /plain.txt HTTP/1.1\r\n" HOST "\r\n", "501");
    EXPECT_STATUS("GETS /plain.txt HTTP/1.1\r\n" HOST "\r\n", "501");
    EXPECT_STATUS("DELETE /plain.txt HTTP/1.1\r\n" HOST "\r\n", "501");
    EXPECT_STATUS("PRI * HTTP/2.0\r\n\r\n", "501");
    EXPECT_STATUS("G(T / HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS(" GET / HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT(has(exchange_once("POST /plain.txt HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n"),
               "405 Method Not Allowed\r\nAllow: GET, HEAD\r\n"));
    EXPECT(has(exchange_once("GET /redirect HTTP/1.1\r\n" HOST "\r\n"), "405 Method Not Allowed\r\nAllow: POST\r\n"));
    EXPECT_STATUS("HEAD /redirect HTTP/1.1\r\n" HOST "\r\n", "405");
    EXPECT(has(exchange_once("POST /note HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n"), "Allow: GET, HEAD\r\n"));
}

static void the_request_line_is_strict(void) {
    EXPECT_STATUS("GET  / HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET /  HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.1 \r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET /\r\n", "400");
    EXPECT_STATUS("GET / http/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET / HTTP/11\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.x\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.11\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET / HTTP/2.0\r\n" HOST "\r\n", "505");
    EXPECT_STATUS("GET / HTTP/0.9\r\n" HOST "\r\n", "505");
    EXPECT_STATUS("GET / HTTP/1.2\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("GET / HTTP/1.1\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.1\r" HOST "\r\n", "400");
    EXPECT_STATUS("\r\nGET / HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("\nGET / HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("\r\rGET / HTTP/1.1\r\n" HOST "\r\n", "400");
}

static void header_lines_are_strict(void) {
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST "A : b\r\n\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST ": b\r\n\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST "A b\r\n\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST "A: b\r\n c\r\n\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST "A: b\rc\r\n\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST "A: b\nB: c\r\n\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST "A: \x01\r\n\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST "A: \x7f\r\n\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST "A:\tb\xE4 \t\r\nB:\r\n\r\n", "200");
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST "\r\r\n", "400");
    struct exchange exchange;
    exchange_begin(&exchange);
    exchange_bytes(&exchange, "GET / HTTP/1.1\r\n" HOST "A: \0\r\n\r\n", 34, 1, 1);
    EXPECT(begins(exchange.answer, "HTTP/1.1 400"));
}

static void host_is_needed_once(void) {
    EXPECT_STATUS("GET / HTTP/1.1\r\n\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.0\r\n\r\n", "200");
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST HOST "\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.1\r\nHost:\r\n\r\n", "200");
    EXPECT_STATUS("GET / HTTP/1.1\r\nhOST: [::1]:80 \r\n\r\n", "200");
    EXPECT_STATUS("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "400");
    EXPECT_STATUS("GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", "400");
}

#define FORM "Content-Type: application/x-www-form-urlencoded\r\n"

static void bodies_are_framed_in_one_way_only(void) {
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Content-Length: 3\r\n\r\na=b", "200");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n", "200");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "\r\n", "411");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Content-Length: 1025\r\n\r\n", "413");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Content-Length: 99999999999999999999\r\n\r\n", "413");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Content-Length: 4294967299\r\n\r\na=b", "413");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Content-Length: +3\r\n\r\na=b", "400");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Content-Length: 3 3\r\n\r\na=b", "400");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Content-Length: 3, 3\r\n\r\na=b", "400");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Content-Length: 0x3\r\n\r\na=b", "400");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Content-Length:\r\n\r\n", "400");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Content-Length: 3\r\nContent-Length: 3\r\n\r\na=b", "400");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Content-Length: 3\r\nContent-Length: 4\r\n\r\na=b", "400");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "501");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Transfer-Encoding: gzip, chunked\r\n\r\n", "501");
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: identity\r\n\r\n", "501");
    EXPECT_STATUS(
        "POST /count HTTP/1.1\r\n" HOST FORM "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400");
    EXPECT_STATUS(
        "POST /count HTTP/1.1\r\n" HOST FORM "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", "400");
    EXPECT_STATUS("POST /count HTTP/1.0\r\n" FORM "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\na=b", "415");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
                  "415");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST "Content-Type: application/x-www-form-urlencoded; "
                  "charset=UTF-8\r\nContent-Length: 3\r\n\r\na=b",
                  "200");
}

/* The second request would be smuggled if the body of the first were taken for it. */
static void a_body_that_nobody_wants_ends_the_connection(void) {
    const char *answer = exchange_once("GET /plain.txt HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\n"
                                       "GET /note HTTP/1.1\r\n" HOST "\r\n");
    EXPECT(begins(answer, "HTTP/1.1 200") && has(answer, "Connection: close\r\n"));
    EXPECT_EQUAL(exchange_application.answers, 0);
    answer = exchange_once("POST /nowhere HTTP/1.1\r\n" HOST FORM "Content-Length: 5\r\n\r\nGET /note");
    EXPECT(begins(answer, "HTTP/1.1 404") && has(answer, "Connection: close\r\n"));
}

static void repeat(char *out, const char *begin, char filler, size_t count, const char *end) {
    size_t used = strlen(begin);
    memcpy(out, begin, used);
    memset(out + used, filler, count);
    strcpy(out + used + count, end);
}

static void lines_and_headers_have_limits(void) {
    static char text[3 * HTTP_HEADER_LIMIT];
    const char *end = " HTTP/1.1\r\n" HOST "\r\n";
    size_t exact = HTTP_REQUEST_LINE_LIMIT - strlen("GET / HTTP/1.1\r");
    repeat(text, "GET /", 'a', exact, end);
    EXPECT_STATUS(text, "404");
    repeat(text, "GET /", 'a', exact + 1, end);
    EXPECT_STATUS(text, "414");
    exact = HTTP_FIELD_LINE_LIMIT - strlen("A: \r\n");
    repeat(text, "GET / HTTP/1.1\r\n" HOST "A: ", 'a', exact, "\r\n\r\n");
    EXPECT_STATUS(text, "200");
    repeat(text, "GET / HTTP/1.1\r\n" HOST "A: ", 'a', exact + 1, "\r\n\r\n");
    EXPECT_STATUS(text, "431");
    strcpy(text, "GET / HTTP/1.1\r\n" HOST);
    while (strlen(text) <= HTTP_HEADER_LIMIT) {
        strcat(text, "Cookie: a=b; c=d; e=f; g=h; i=j; k=l; m=n; o=p; q=r; s=t\r\n");
    }
    strcat(text, "\r\n");
    EXPECT_STATUS(text, "431");
    repeat(text, "", '\r', 0, "");
    for (unsigned line = 0; line <= HTTP_HEADER_LIMIT / 2; line++) {
        memcpy(text + 2 * line, "\r\n", 3);
    }
    EXPECT_STATUS(text, "431");
}

static void expectations_are_met_or_refused(void) {
    struct exchange exchange;
    exchange_begin(&exchange);
    EXPECT_TEXT(exchange_text(&exchange,
                              "POST /count HTTP/1.1\r\n" HOST FORM "Expect: 100-Continue\r\nContent-Length: 3\r\n\r\n"),
                "HTTP/1.1 100 Continue\r\n\r\n");
    EXPECT(begins(exchange_text(&exchange, "a=b"), "HTTP/1.1 200 OK\r\n"));
    EXPECT(begins(exchange_text(&exchange, "GET / HTTP/1.1\r\n" HOST "\r\n"), "HTTP/1.1 200 OK\r\n"));
    EXPECT_STATUS("POST /nowhere HTTP/1.1\r\n" HOST FORM "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n", "404");
    EXPECT_STATUS("POST /count HTTP/1.1\r\n" HOST FORM "Expect: 100-continue\r\nContent-Length: 9999\r\n\r\n", "413");
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n\r\n", "200");
    EXPECT_STATUS("GET / HTTP/1.1\r\n" HOST "Expect: more\r\n\r\n", "417");
    EXPECT_STATUS("POST /count HTTP/1.0\r\n" FORM "Expect: 100-continue\r\nContent-Length: 3\r\n\r\na=b", "200");
    EXPECT_STATUS("GET / HTTP/1.0\r\nExpect: more\r\n\r\n", "200");
}

int main(void) {
    a_target_may_be_a_path_or_a_whole_address();
    paths_are_decoded_and_compared_whole();
    methods_are_known_refused_or_not_allowed();
    the_request_line_is_strict();
    header_lines_are_strict();
    host_is_needed_once();
    bodies_are_framed_in_one_way_only();
    a_body_that_nobody_wants_ends_the_connection();
    lines_and_headers_have_limits();
    expectations_are_met_or_refused();
    return expect_result();
}

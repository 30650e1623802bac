/* Requests as they are read: methods, targets, versions, line ends, header limits, framing of bodies. */
#include "exchange.h"

#include "expect.h"

static void expect_status(const char *request, const char *status) {
    const char *answered = exchange_once(request);
    bool is_right = begins(answered, "HTTP/1.1 ") && begins(answered + strlen("HTTP/1.1 "), status);
    if (!is_right) {
        printf("%.60s was answered with %.40s, not with %s\n", request, answered, status);
    }
    EXPECT(is_right);
}

/* The differing part of a request, and the status that it is answered with. */
struct expectation {
    const char *part, *status;
};

static void expect_each(const char *before, const struct expectation *expected, size_t count, const char *after) {
    for (size_t n = 0; n < count; n++) {
        char request[512];
        int bytes = snprintf(request, sizeof request, "%s%s%s", before, expected[n].part, after);
        EXPECT(bytes > 0 && (size_t)bytes < sizeof request);
        expect_status(request, expected[n].status);
    }
}

#define EXPECT_EACH(before, expected, after) expect_each(before, expected, sizeof expected / sizeof *expected, after)

static void a_target_may_be_a_path_or_a_whole_address(void) {
    static const struct expectation targets[] = {
        {"/plain.txt", "200"},
        {"http://board/plain.txt", "200"},
        {"HTTP://board:80/plain.txt?x", "200"},
        {"http://board", "200"},
        {"http://board?a=b", "200"},
        {"http:///plain.txt", "400"},
        {"http://me@board/", "400"},
        {"https://board/", "400"},
        {"*", "400"},
        {"board:80", "400"},
        {"plain.txt", "400"},
    };
    EXPECT_EACH("GET ", targets, " HTTP/1.1\r\n" HOST "\r\n");
}

static void paths_are_decoded_and_compared_whole(void) {
    static const struct expectation paths[] = {
        {"/two%20words.txt", "200"},
        {"/%70lain%2Etxt", "200"},
        {"/two+words.txt", "404"},
        {"/plain.tx", "404"},
        {"/plain.txt1", "404"},
        {"/about/../plain.txt", "404"},
        {"/about", "301"},
        {"/about/", "200"},
        {"/counted", "200"},
        {"/counte", "404"},
        {"/%", "400"},
        {"/%4", "400"},
        {"/%4?a", "400"},
        {"/%zz", "400"},
        {"/plain.txt%00", "400"},
        {"/plain.txt#top", "400"},
        {"/\xC3\xA4", "400"},
    };
    EXPECT_EACH("GET ", paths, " HTTP/1.1\r\n" HOST "\r\n");
}

static void methods_are_known_refused_or_not_allowed(void) {
    static const struct expectation methods[] = {
        {"HEAD /plain.txt", "200"}, {"get /plain.txt", "501"}, {"GETS /plain.txt", "501"}, {"DELETE /plain.txt", "501"},
        {"G(T /", "400"},           {" GET /", "400"},         {"HEAD /redirect", "405"},
    };
    EXPECT_EACH("", methods, " HTTP/1.1\r\n" HOST "\r\n");
    expect_status("PRI * HTTP/2.0\r\n\r\n", "501");
    EXPECT(has(exchange_once("POST /plain.txt HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n"),
               "405 Method Not Allowed\r\nAllow: GET, HEAD\r\n"));
    EXPECT(has(exchange_once("GET /redirect HTTP/1.1\r\n" HOST "\r\n"), "405 Method Not Allowed\r\nAllow: POST\r\n"));
    EXPECT(has(exchange_once("POST /note HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n"), "Allow: GET, HEAD\r\n"));
}

static void the_request_line_is_strict(void) {
    static const struct expectation lines[] = {
        {"GET  / HTTP/1.1\r\n", "400"},    {"GET /  HTTP/1.1\r\n", "400"},        {"GET / HTTP/1.1 \r\n", "400"},
        {"GET / http/1.1\r\n", "400"},     {"GET / HTTP/11\r\n", "400"},          {"GET / HTTP/1.x\r\n", "400"},
        {"GET / HTTP/1.11\r\n", "400"},    {"GET / HTTP/2.0\r\n", "505"},         {"GET / HTTP/0.9\r\n", "505"},
        {"GET / HTTP/1.2\r\n", "200"},     {"GET / HTTP/1.1\n", "400"},           {"GET / HTTP/1.1\r", "400"},
        {"\r\nGET / HTTP/1.1\r\n", "200"}, {"\r\n\r\nGET / HTTP/1.1\r\n", "200"}, {"\nGET / HTTP/1.1\r\n", "400"},
        {"\r\rGET / HTTP/1.1\r\n", "400"},
    };
    EXPECT_EACH("", lines, HOST "\r\n");
    expect_status("GET /\r\n", "400");
}

static void header_lines_are_strict(void) {
    static const struct expectation lines[] = {
        {"A : b\r\n", "400"},
        {": b\r\n", "400"},
        {"A b\r\n", "400"},
        {"A: b\r\n c\r\n", "400"},
        {"A: b\rc\r\n", "400"},
        {"A: b\nB: c\r\n", "400"},
        {"A: \x01\r\n", "400"},
        {"A: \x7f\r\n", "400"},
        {"A:\tb\xE4 \t\r\nB:\r\n", "200"},
        {"\r", "400"},
    };
    EXPECT_EACH("GET / HTTP/1.1\r\n" HOST, lines, "\r\n");
    struct exchange exchange;
    exchange_begin(&exchange);
    exchange_bytes(&exchange, "GET / HTTP/1.1\r\n" HOST "A: \0\r\n\r\n", 34, 1, 1);
    EXPECT(begins(exchange.answer, "HTTP/1.1 400"));
}

static void host_is_needed_once(void) {
    static const struct expectation hosts[] = {
        {"", "400"},
        {HOST HOST, "400"},
        {"Host:\r\n", "200"},
        {"hOST: [::1]:80 \r\n", "200"},
        {"Host: a b\r\n", "400"},
        {"Host: a/b\r\n", "400"},
        {"Host: a@b\r\n", "400"},
    };
    EXPECT_EACH("GET / HTTP/1.1\r\n", hosts, "\r\n");
    expect_status("GET / HTTP/1.0\r\n\r\n", "200");
}

#define FORM "Content-Type: application/x-www-form-urlencoded\r\n"

static void bodies_are_framed_in_one_way_only(void) {
    static const struct expectation bodies[] = {
        {FORM "Content-Length: 3\r\n\r\na=b", "200"},
        {"Content-Length: 0\r\n\r\n", "200"},
        {FORM "\r\n", "411"},
        {FORM "Content-Length: 1025\r\n\r\n", "413"},
        {FORM "Content-Length: 99999999999999999999\r\n\r\n", "413"},
        {FORM "Content-Length: 4294967299\r\n\r\na=b", "413"},
        {FORM "Content-Length: +3\r\n\r\na=b", "400"},
        {FORM "Content-Length: 3 3\r\n\r\na=b", "400"},
        {FORM "Content-Length: 3, 3\r\n\r\na=b", "400"},
        {FORM "Content-Length: 0x3\r\n\r\na=b", "400"},
        {FORM "Content-Length:\r\n\r\n", "400"},
        {FORM "Content-Length: 3\r\nContent-Length: 3\r\n\r\na=b", "400"},
        {FORM "Content-Length: 3\r\nContent-Length: 4\r\n\r\na=b", "400"},
        {FORM "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "501"},
        {FORM "Transfer-Encoding: gzip, chunked\r\n\r\n", "501"},
        {FORM "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
        {FORM "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", "400"},
        {"Content-Length: 3\r\n\r\na=b", "415"},
        {"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", "415"},
        {"Content-Type: application/x-www-form-urlencoded; "
         "charset=UTF-8\r\nContent-Length: 3\r\n\r\na=b",
         "200"},
    };
    EXPECT_EACH("POST /count HTTP/1.1\r\n" HOST, bodies, "");
    expect_status("GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: identity\r\n\r\n", "501");
    expect_status("POST /count HTTP/1.0\r\n" FORM "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400");
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
    expect_status(text, "404");
    repeat(text, "GET /", 'a', exact + 1, end);
    expect_status(text, "414");
    exact = HTTP_FIELD_LINE_LIMIT - strlen("A: \r\n");
    repeat(text, "GET / HTTP/1.1\r\n" HOST "A: ", 'a', exact, "\r\n\r\n");
    expect_status(text, "200");
    repeat(text, "GET / HTTP/1.1\r\n" HOST "A: ", 'a', exact + 1, "\r\n\r\n");
    expect_status(text, "431");
    strcpy(text, "GET / HTTP/1.1\r\n" HOST);
    while (strlen(text) <= HTTP_HEADER_LIMIT) {
        strcat(text, "Cookie: a=b; c=d; e=f; g=h; i=j; k=l; m=n; o=p; q=r; s=t\r\n");
    }
    strcat(text, "\r\n");
    expect_status(text, "431");
    for (unsigned line = 0; line <= HTTP_HEADER_LIMIT / 2; line++) {
        memcpy(text + 2 * line, "\r\n", 3);
    }
    expect_status(text, "431");
}

static void expectations_are_met_or_refused(void) {
    struct exchange exchange;
    exchange_begin(&exchange);
    EXPECT_TEXT(exchange_text(&exchange,
                              "POST /count HTTP/1.1\r\n" HOST FORM "Expect: 100-Continue\r\nContent-Length: 3\r\n\r\n"),
                "HTTP/1.1 100 Continue\r\n\r\n");
    EXPECT(begins(exchange_text(&exchange, "a=b"), "HTTP/1.1 200 OK\r\n"));
    EXPECT(begins(exchange_text(&exchange, "GET / HTTP/1.1\r\n" HOST "\r\n"), "HTTP/1.1 200 OK\r\n"));
    expect_status("POST /nowhere HTTP/1.1\r\n" HOST FORM "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n", "404");
    expect_status("POST /count HTTP/1.1\r\n" HOST FORM "Expect: 100-continue\r\nContent-Length: 9999\r\n\r\n", "413");
    expect_status("GET / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n\r\n", "200");
    expect_status("GET / HTTP/1.1\r\n" HOST "Expect: more\r\n\r\n", "417");
    expect_status("POST /count HTTP/1.0\r\n" FORM "Expect: 100-continue\r\nContent-Length: 3\r\n\r\na=b", "200");
    expect_status("GET / HTTP/1.0\r\nExpect: more\r\n\r\n", "200");
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

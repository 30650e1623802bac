/* Parameters of queries and forms: decoding, cutting off, and that only a valid request reaches its handler. */
#include "exchange.h"

#include "expect.h"

#define FORM_HEADER HOST "Content-Type: application/x-www-form-urlencoded\r\n"

static bool ends(const char *text, const char *with) {
    return strlen(text) >= strlen(with) && strcmp(text + strlen(text) - strlen(with), with) == 0;
}

static const char *parameters_of_query(const char *query) {
    char text[1024];
    snprintf(text, sizeof text, "GET /count?%s HTTP/1.1\r\n" HOST "\r\n", query);
    exchange_once(text);
    return exchange_application.parameters;
}

static const char *parameters_of_form(const char *form) {
    char text[1024];
    snprintf(text, sizeof text, "POST /count HTTP/1.1\r\n" FORM_HEADER "Content-Length: %zu\r\n\r\n%s", strlen(form),
             form);
    exchange_once(text);
    return exchange_application.parameters;
}

static void names_and_values_are_decoded_alike_in_both_places(void) {
    static const char *const cases[][2] = {
        {"a=b", "a=b;"},
        {"a=b&c=d", "a=b;c=d;"},
        {"a", "a=;"},
        {"a=", "a=;"},
        {"a=b=c", "a=b=c;"},
        {"a=b?c", "a=b?c;"},
        {"&&a=1&&", "a=1;"},
        {"=x", "=x;"},
        {"a+b=c+d", "a b=c d;"},
        {"%61%3d%26=%2B%25", "a=&=+%;"},
        {"a=%C3%a4", "a=\xC3\xA4;"},
        {"", ""},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        EXPECT_TEXT(parameters_of_query(cases[n][0]), cases[n][1]);
        EXPECT_TEXT(parameters_of_form(cases[n][0]), cases[n][1]);
    }
}

static void broken_escapes_and_zero_bytes_are_refused(void) {
    static const char *const cases[] = {"a=%", "a=%4", "a=%zz", "a=%4&b=c", "%=a", "a=%00", "a=%2=", "a=%+1", "a%=41"};
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        parameters_of_query(cases[n]);
        EXPECT_EQUAL(exchange_application.answers, 0);
        parameters_of_form(cases[n]);
        EXPECT_EQUAL(exchange_application.answers, 0);
    }
    struct exchange exchange;
    exchange_begin(&exchange);
    exchange_text(&exchange, "POST /count HTTP/1.1\r\n" FORM_HEADER "Content-Length: 3\r\n\r\n");
    exchange_bytes(&exchange, "a=\0", 3, 3, 100);
    EXPECT(begins(exchange.answer, "HTTP/1.1 400"));
}

static void what_does_not_fit_is_cut_off_and_said_to_be(void) {
    char text[512] = "", wanted[sizeof text + 1];
    memset(text, 'n', 200);
    text[200] = '\0';
    strcat(text, "=v&b=c");
    snprintf(wanted, sizeof wanted, "%.*s=v!;b=c;", HTTP_SLOT_BYTES / 2 - 1, text);
    EXPECT_TEXT(parameters_of_query(text), wanted);
    memcpy(text, "name=", 5);
    memset(text + 5, 'v', 200);
    strcpy(text + 205, "&b=c");
    snprintf(wanted, sizeof wanted, "%.*s!;b=c;", HTTP_SLOT_BYTES - 1, text);
    EXPECT_TEXT(parameters_of_form(text), wanted);
    /* The longest value that is whole: all of the slot but the name and two zero bytes. */
    memset(text, 0, sizeof text);
    memcpy(text, "ab=", 3);
    memset(text + 3, 'v', HTTP_SLOT_BYTES - 4);
    snprintf(wanted, sizeof wanted, "%s;", text);
    EXPECT_TEXT(parameters_of_query(text), wanted);
}

static void a_query_and_a_form_are_one_list(void) {
    const char *answer = exchange_once("POST /count?a=1&b=2 HTTP/1.1\r\n" FORM_HEADER "Content-Length: 3\r\n\r\nc=3");
    EXPECT_TEXT(exchange_application.parameters, "a=1;b=2;c=3;");
    EXPECT(ends(answer, "\r\n\r\n3"));
}

/* Two connections at once: each handler counts in the state of its own request. */
static void the_state_of_a_request_is_its_own(void) {
    static struct exchange first, second;
    exchange_begin(&first);
    exchange_begin(&second);
    exchange_text(&first, "GET /count?a=1&b");
    exchange_text(&second, "GET /count?x=1");
    EXPECT(ends(exchange_text(&first, "=2&c=3 HTTP/1.1\r\n" HOST "\r\n"), "\r\n\r\n3"));
    EXPECT(ends(exchange_text(&second, " HTTP/1.1\r\n" HOST "\r\n"), "\r\n\r\n1"));
    EXPECT(ends(exchange_text(&first, "GET /count HTTP/1.1\r\n" HOST "\r\n"), "\r\n\r\n0"));
}

static void a_handler_answers_valid_requests_only(void) {
    exchange_once("GET /count?a=1 HTTP/1.1\r\n\r\n");
    EXPECT_TEXT(exchange_application.parameters, "a=1;");
    EXPECT_EQUAL(exchange_application.answers, 0);
    exchange_once("POST /note?a=1 HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n");
    EXPECT_TEXT(exchange_application.parameters, "");
    EXPECT_EQUAL(exchange_application.answers, 0);
    EXPECT(begins(exchange_once("GET /plain.txt?a=%zz HTTP/1.1\r\n" HOST "\r\n"), "HTTP/1.1 200"));
}

int main(void) {
    names_and_values_are_decoded_alike_in_both_places();
    broken_escapes_and_zero_bytes_are_refused();
    what_does_not_fit_is_cut_off_and_said_to_be();
    a_query_and_a_form_are_one_list();
    the_state_of_a_request_is_its_own();
    a_handler_answers_valid_requests_only();
    return expect_result();
}

/* Deadlines on a clock that wraps. */
#include "exchange.h"

#include "expect.h"

static struct exchange exchange;

static void begin_at(uint32_t now_ms) {
    exchange_begin(&exchange);
    exchange.now_ms = now_ms;
    http_open(&exchange.connection, &exchange_server, now_ms);
}

static void expect_overdue_after(uint32_t since_ms, uint32_t limit_ms) {
    EXPECT(!http_is_overdue(&exchange.connection, since_ms));
    EXPECT(!http_is_overdue(&exchange.connection, since_ms + limit_ms));
    EXPECT(http_is_overdue(&exchange.connection, since_ms + limit_ms + 1));
}

/* The second begins one step before the clock's end. */
static const uint32_t begins_ms[] = {0, UINT32_MAX, UINT32_MAX - HTTP_REQUEST_MS / 2};

static void a_connection_without_a_request_is_closed_in_time(void) {
    for (size_t n = 0; n < sizeof begins_ms / sizeof begins_ms[0]; n++) {
        begin_at(begins_ms[n]);
        expect_overdue_after(begins_ms[n], HTTP_IDLE_MS);
    }
}

static void a_request_has_its_time_from_its_first_byte(void) {
    for (size_t n = 0; n < sizeof begins_ms / sizeof begins_ms[0]; n++) {
        begin_at(begins_ms[n]);
        exchange.now_ms += HTTP_IDLE_MS - 1;
        uint32_t first_ms = exchange.now_ms;
        exchange_text(&exchange, "G");
        /* A byte now and then does not help. */
        exchange.now_ms += HTTP_REQUEST_MS / 2;
        exchange_text(&exchange, "ET / HTTP/1.1\r\n");
        expect_overdue_after(first_ms, HTTP_REQUEST_MS);
        exchange.now_ms = first_ms + HTTP_REQUEST_MS - 1;
        EXPECT(*exchange_text(&exchange, HOST "\r\n") != '\0');
        expect_overdue_after(exchange.now_ms, HTTP_IDLE_MS);
    }
}

static void empty_lines_are_part_of_a_request(void) {
    begin_at(0);
    exchange_text(&exchange, "\r\n");
    exchange.now_ms = HTTP_REQUEST_MS;
    exchange_text(&exchange, "\r\n");
    expect_overdue_after(0, HTTP_REQUEST_MS);
}

static void an_answer_has_to_get_on(void) {
    const char *request = "GET /plain.txt HTTP/1.1\r\n" HOST "\r\n";
    begin_at(UINT32_MAX - 5);
    http_receive(&exchange.connection, (const uint8_t *)request, 3, 2);
    http_receive(&exchange.connection, (const uint8_t *)request + 3, strlen(request) - 3, 10);
    expect_overdue_after(10, HTTP_RESPONSE_MS);
    http_sent(&exchange.connection, 1, HTTP_RESPONSE_MS);
    expect_overdue_after(HTTP_RESPONSE_MS, HTTP_RESPONSE_MS);
    http_sent(&exchange.connection, 0, 2 * HTTP_RESPONSE_MS);
    expect_overdue_after(HTTP_RESPONSE_MS, HTTP_RESPONSE_MS);
}

int main(void) {
    a_connection_without_a_request_is_closed_in_time();
    a_request_has_its_time_from_its_first_byte();
    empty_lines_are_part_of_a_request();
    an_answer_has_to_get_on();
    return expect_result();
}

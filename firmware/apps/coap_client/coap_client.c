/* A CoAP client: asks for a resource each second, or puts a count there, and prints what the server says. */
#include "coap_client.h"
#include "application.h"

#include "clock.h"
#include "console.h"
#include "decimal.h"
#include "network.h"
#include "random.h"
#include "settings.h"

SETTING(server, SETTING_ADDRESS(192, 168, 1, 1), "address", "the CoAP server");
SETTING(server_port, COAP_PORT, "port 1..65535", "its port");
SETTING(period_ms, 1000, "ms 1..86400000", "how long passes from one request to the next");
SETTING(ask, 0, "choice hello|store|large",
        "what it asks for: GET /hello, PUT and GET of /store/board in turns, GET /large in blocks");
SETTING(requests, 0, "requests", "how many requests, 0 for no end");

enum ask { ASK_HELLO, ASK_STORE, ASK_LARGE };

#define OWN_PORT 50020u
#define PRINTED_MOST_BYTES 64u
#define AGAIN_MS 1u

static struct coap_client client;
static struct datagrams *datagrams;
static uint32_t made, asked_ms;

static void print_code(uint8_t code) {
    console_number(code >> 5);
    console_put('.');
    console_put((char)('0' + (code & 31u) / 10u));
    console_put((char)('0' + (code & 31u) % 10u));
}

static void print_response(const struct coap_message *response) {
    print_code(response->code);
    console_put(' ');
    size_t count = response->payload_bytes < PRINTED_MOST_BYTES ? response->payload_bytes : PRINTED_MOST_BYTES;
    for (size_t at = 0; at < count; at++) {
        uint8_t byte = response->payload[at];
        console_put(byte >= ' ' && byte <= '~' ? (char)byte : '.');
    }
    if (response->payload_bytes > count) {
        console_named(" ... of bytes", (uint32_t)response->payload_bytes);
    } else {
        console_put('\n');
    }
    if (!coap_is_whole(response)) {
        console_text("more blocks would follow\n");
    }
}

static void tell(enum coap_outcome outcome, const struct coap_message *response) {
    switch (outcome) {
    case COAP_NOTHING:
        return;
    case COAP_RESPONSE:
        print_response(response);
        break;
    case COAP_REFUSED:
        console_text("error: the server reset the request\n");
        break;
    case COAP_NO_ANSWER:
        console_text("error: the server does not answer: does a CoAP server run there?\n");
        break;
    }
    if (setting_requests && made == setting_requests) {
        console_text("done\n");
    }
}

/* Whatever is to be sent; what finds no room stays for the next time. */
static bool flush(void) {
    const struct endpoint server = {setting_server, (uint16_t)setting_server_port};
    const uint8_t *bytes;
    for (size_t count; (count = coap_client_pending(&client, &bytes)) != 0;) {
        if (!datagram_send(datagrams, &server, bytes, count)) {
            return false;
        }
        coap_client_sent(&client, clock_ms());
    }
    return true;
}

static void received(void *context, const struct endpoint *from, const uint8_t *bytes, size_t count) {
    (void)context;
    struct coap_message response;
    if (from->address != setting_server || from->port != setting_server_port) {
        return;
    }
    enum coap_outcome outcome = coap_client_receive(&client, bytes, count, &response);
    if (!flush()) {
        network_call_soon();
    }
    tell(outcome, &response);
}

static void request(uint32_t now_ms) {
    char digits[DECIMAL_DIGITS];
    size_t count = (size_t)(decimal_write(digits, made) - digits);
    bool is_put = setting_ask == ASK_STORE && made % 2 == 0;
    const char *path = setting_ask == ASK_STORE ? "store/board" : setting_ask == ASK_LARGE ? "large" : "hello";
    if (coap_client_request(&client, is_put ? COAP_PUT : COAP_GET, path, digits, is_put ? count : 0, now_ms,
                            random_word())) {
        made++;
        asked_ms = now_ms;
    }
}

static bool has_more_to_ask(void) { return !setting_requests || made < setting_requests; }

static uint32_t tick(uint32_t now_ms) {
    if (!datagrams) {
        return NETWORK_NEVER;
    }
    tell(coap_client_pass(&client, now_ms), NULL);
    if (has_more_to_ask() && (!made || now_ms - asked_ms >= setting_period_ms)) {
        request(now_ms);
    }
    if (!flush()) {
        return AGAIN_MS;
    }
    uint32_t gone_ms = clock_ms() - asked_ms, quiet_ms = coap_client_quiet_ms(&client, clock_ms());
    uint32_t next_ms = gone_ms < setting_period_ms ? setting_period_ms - gone_ms : setting_period_ms;
    return next_ms < quiet_ms ? next_ms : quiet_ms;
}

static void start(void) {
    coap_client_begin(&client, random_word());
    datagrams = network_bind(OWN_PORT, received, NULL);
    if (!datagrams) {
        console_text("error: there is no room for the socket\n");
    }
    network_call_soon();
}

const struct application application = {"CoAP client", start, tick};

/* The example that serves pages on the Pico SDK, with a chip that takes a connection: its own loop, step by step. */
#include <string.h>

#include "expect.h"
#include "simulated_sdk.h"

#define main main_of_example
#include "pages.c"
#undef main

static struct simulated_chip *const chip = &simulated_sdk_chip;

static void start(void) {
    static const uint8_t mac[6] = {2, 0, 0, 0x41, 0x57, 0x50};
    chip_begin(chip, &simulated_w5500);
    EXPECT_EQUAL(fsdata_open(&files, fsdata_image, FSDATA_BYTES), FSDATA_SOUND);
    EXPECT_EQUAL(wiznet_start(&wiznet, 33000000, mac), WIZNET_READY);
    wiznet_share_memory(&wiznet, SOCKETS);
    for (unsigned socket = 0; socket < SOCKETS; socket++) {
        serve(socket);
        EXPECT_EQUAL(wiznet_socket_state(&wiznet, socket), WIZNET_SOCKET_LISTENING);
    }
}

/* A request whose bytes come one by one is answered with the page, whole. */
static void a_page_is_served(void) {
    static const char request[] = "GET /static.html HTTP/1.1\r\nHost: board\r\nConnection: close\r\n\r\n";
    struct fsdata_body body;
    size_t sent;
    chip_accept(chip, 2);
    for (size_t at = 0; at < sizeof request - 1; at++) {
        EXPECT(chip_receive(chip, 2, (const uint8_t *)request + at, 1));
        serve(2);
    }
    for (unsigned turn = 0; turn < 100; turn++) {
        serve(2);
    }
    const uint8_t *answer = chip_sent(chip, 2, &sent);
    EXPECT(!memcmp(answer, "HTTP/1.1 200 OK\r\n", 17));
    EXPECT(fsdata_body(&files, fsdata_find(&files, "/static.html"), false, &body));
    EXPECT(sent > body.body_bytes);
    const uint8_t *end_of_head = body.head + body.head_bytes + 2;
    EXPECT(!memcmp(answer + sent - body.body_bytes, end_of_head, body.body_bytes));
}

static void its_socket_listens_again(void) {
    serve(2);
    EXPECT_EQUAL(wiznet_socket_state(&wiznet, 2), WIZNET_SOCKET_LISTENING);
}

int main(void) {
    (void)main_of_example;
    start();
    a_page_is_served();
    its_socket_listens_again();
    EXPECT_EQUAL(chip->faults, 0);
    return expect_result();
}

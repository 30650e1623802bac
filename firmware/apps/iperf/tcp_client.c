/* The TCP client: connects, sends for a time or an amount, closes. */
#include <stddef.h>

#include "clock.h"
#include "console.h"
#include "iperf.h"
#include "network.h"
#include "rate.h"
#include "settings.h"

SETTING(peer, SETTING_ADDRESS(192, 168, 1, 1), "address", "the server, for the clients");
SETTING(peer_port, IPERF_PORT, "port 1..65535", "its port");
SETTING(time_ms, 10000, "ms 1..4294967295", "how long a client sends");
SETTING(amount_bytes, 0, "bytes", "how much a client sends instead, 0 for a time");
USES_SETTING(interval_ms);

#define DIGITS 10u
#define BLOCK_BYTES (146u * DIGITS)
/* So many blocks at a time: where a task empties the buffer meanwhile there is always room. */
#define BURST 16u
/* What iperf 2 says of its buffer when none is chosen. */
#define TOLD_BUFFER_BYTES (128u * 1024u)

static uint8_t block[BLOCK_BYTES] __attribute__((aligned(4)));
static struct {
    struct stream *stream;
    bool is_open, is_done;
    uint32_t last_us, told_ms;
    uint64_t bytes, time_us, told_bytes, told_us;
} test;

static void pass_time(void) {
    uint32_t now_us = clock_us();
    test.time_us += now_us - test.last_us;
    test.last_us = now_us;
}

static bool is_over(void) {
    return setting_amount_bytes ? test.bytes >= setting_amount_bytes
                                : test.time_us >= (uint64_t)setting_time_ms * 1000u;
}

static void finish(const char *sentence) {
    test.is_done = true;
    test.is_open = false;
    console_text(sentence);
    rate_report("TCP client, whole", test.bytes, test.time_us);
    console_text("done\n");
}

static size_t left(void) {
    if (!setting_amount_bytes || setting_amount_bytes - test.bytes > BLOCK_BYTES) {
        return BLOCK_BYTES;
    }
    return (size_t)(setting_amount_bytes - test.bytes);
}

/* The digits go on where they were, so that a packet shows its place. */
static void send(struct stream *stream) {
    pass_time();
    for (unsigned blocks = 0; test.is_open && !is_over(); blocks++) {
        if (blocks == BURST) {
            network_call_soon();
            return;
        }
        size_t at = (size_t)(test.bytes % DIGITS), count = BLOCK_BYTES - at, most = left();
        size_t taken = stream_write_constant(stream, block + at, count < most ? count : most);
        test.bytes += taken;
        if (!taken) {
            return;
        }
    }
    if (test.is_open) {
        stream_close(stream);
        finish("");
    }
}

static void opened(struct stream *stream) {
    uint8_t head[IPERF_CLIENT_HEAD_BYTES];
    iperf_write_client_head(head, TOLD_BUFFER_BYTES);
    test.is_open = true;
    test.last_us = clock_us();
    test.bytes = stream_write(stream, head, sizeof head);
    send(stream);
}

/* The server says nothing that matters here. */
static void readable(struct stream *stream) {
    while (stream_read(stream, NULL, BLOCK_BYTES)) {
    }
}

static void ended(struct stream *stream, enum stream_end how) {
    if (how == STREAM_ENDED) {
        stream_close(stream);
    }
    finish(how == STREAM_REFUSED ? "error: nobody answers on the server's port: does iperf -s run there?\n"
                                 : "error: the server ended the connection\n");
}

static const struct stream_user user = {.opened = opened, .readable = readable, .writable = send, .ended = ended};

uint32_t tcp_client_tick(uint32_t now_ms) {
    if (test.is_done) {
        return NETWORK_NEVER;
    }
    if (test.is_open) {
        send(test.stream);
    }
    if (test.is_open && setting_interval_ms && now_ms - test.told_ms >= setting_interval_ms) {
        rate_report("TCP client", test.bytes - test.told_bytes, test.time_us - test.told_us);
        test.told_bytes = test.bytes;
        test.told_us = test.time_us;
        test.told_ms = now_ms;
    }
    return 10;
}

bool tcp_client_start(void) {
    for (unsigned n = 0; n < BLOCK_BYTES; n++) {
        block[n] = (uint8_t)('0' + n % DIGITS);
    }
    test.told_ms = clock_ms();
    test.stream = network_connect(setting_peer, (uint16_t)setting_peer_port, &user, NULL);
    return test.stream != NULL;
}

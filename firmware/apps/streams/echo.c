/* The echo, of streams and of datagrams. It reads no more than it gets rid of, so that a peer that does not read what
 * comes back is held by TCP's own window. */
#include <stddef.h>

#include "clock.h"
#include "console.h"
#include "network.h"
#include "settings.h"
#include "streams.h"

SETTING(echo_port, 7, "port 1..65535", "the port of the echo, of TCP and of UDP");

#define CARRIED_BYTES 1460u /* what one segment brings */
#define CONNECTIONS 8u
/* Datagrams from these ports are not answered, or two servers could answer each other for ever. */
#define CHARGEN_PORT 19u

static struct echo {
    uint8_t carried[CARRIED_BYTES] __attribute__((aligned(4)));
    size_t from, to; /* what was read and not yet written */
    struct stream *stream;
    uint32_t moved_ms;
    bool is_used, has_ended;
} echoes[CONNECTIONS];

static struct datagrams *datagrams;

static void opened(struct stream *stream) {
    for (unsigned n = 0; n < CONNECTIONS; n++) {
        if (!echoes[n].is_used) {
            echoes[n].is_used = true;
            echoes[n].has_ended = false;
            echoes[n].from = echoes[n].to = 0;
            echoes[n].stream = stream;
            echoes[n].moved_ms = clock_ms();
            stream->context = &echoes[n];
            return;
        }
    }
    stream_abort(stream);
    console_text("error: more connections to the echo than there is room for\n");
}

/* Until nothing more is there to read, or no room to write; then `readable` or `writable` goes on. */
static void pump(struct stream *stream) {
    struct echo *echo = stream->context;
    for (;;) {
        if (echo->from == echo->to) {
            echo->from = 0;
            echo->to = stream_read(stream, echo->carried, CARRIED_BYTES);
            if (!echo->to) {
                break;
            }
        }
        size_t taken = stream_write(stream, echo->carried + echo->from, echo->to - echo->from);
        echo->from += taken;
        echo->moved_ms = taken ? clock_ms() : echo->moved_ms;
        if (echo->from < echo->to) {
            return;
        }
    }
    if (echo->has_ended) {
        echo->is_used = false;
        stream_close(stream);
    }
}

static void ended(struct stream *stream, enum stream_end how) {
    struct echo *echo = stream->context;
    if (how == STREAM_ENDED) {
        echo->has_ended = true;
        pump(stream);
        return;
    }
    if (how == STREAM_RESET) {
        console_text("error: a peer of the echo broke its connection off\n");
    }
    echo->is_used = false;
}

void echo_drop_quiet(uint32_t now_ms, uint32_t limit_ms) {
    for (unsigned n = 0; n < CONNECTIONS; n++) {
        if (echoes[n].is_used && is_quiet(now_ms, echoes[n].moved_ms, limit_ms)) {
            stream_abort(echoes[n].stream);
            echoes[n].is_used = false;
            console_text("error: nothing moved through the echo for too long\n");
        }
    }
}

static const struct stream_user user = {.opened = opened, .readable = pump, .writable = pump, .ended = ended};

static void answer(void *context, const struct endpoint *from, const uint8_t *bytes, size_t count) {
    (void)context;
    if (from->port != setting_echo_port && from->port != CHARGEN_PORT) {
        datagram_send(datagrams, from, bytes, count);
    }
}

bool echo_start(void) { return network_listen((uint16_t)setting_echo_port, &user); }

bool echo_datagrams_start(void) {
    datagrams = network_bind((uint16_t)setting_echo_port, answer, NULL);
    return datagrams != NULL;
}

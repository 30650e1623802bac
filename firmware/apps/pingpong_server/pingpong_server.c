/* TCP ping-pong, the server: answers each number with the next one, for any number of clients. */
#include "application.h"
#include "decimal.h"
#include "network.h"
#include "settings.h"

SETTING(port, 5000, "port 1..65535", "the port on which it listens");

static void readable(struct stream *stream) {
    char text[DECIMAL_DIGITS + 6];
    size_t count = stream_read(stream, text, sizeof text);
    uint32_t number;
    if (!count) {
        return;
    }
    if (!decimal_read(text, count, &number)) {
        stream_abort(stream);
        return;
    }
    stream_write(stream, text, (size_t)(decimal_write(text, number + 1) - text));
}

static void ended(struct stream *stream, enum stream_end how) {
    if (how == STREAM_ENDED) {
        stream_close(stream);
    }
}

static const struct stream_user user = {.readable = readable, .ended = ended};

static void start(void) {
    while (network_listen((uint16_t)setting_port, &user)) {
    }
}

const struct application application = {"TCP ping-pong server", start, 0};

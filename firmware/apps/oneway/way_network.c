/* Messages over TCP and UDP. The TCP sender keeps one connection open, and opens it anew when it is lost. */
#include "clock.h"
#include "console.h"
#include "oneway.h"
#include "settings.h"

SETTING(peer, SETTING_ADDRESS(192, 168, 1, 1), "address", "the receiver, for the sender");
SETTING(port, 5010, "port 1..65535", "the receiver's port");

#define RETRY_MS 1000u
#define RECEIVERS 4u
/* Any port but the receiver's. */
#define SENDER_PORT 50010u

static struct stream *connection;
static bool is_open, is_sender;
static uint32_t tried_ms;
static struct datagrams *datagrams;

static struct stream_receiver {
    struct oneway_receiver receiver;
    bool is_used;
} receivers[RECEIVERS];

static void opened_out(struct stream *stream) {
    (void)stream;
    is_open = true;
    console_text("connected\n");
}

/* Receivers say nothing. */
static void drop(struct stream *stream) {
    while (stream_read(stream, NULL, ONEWAY_MOST_BYTES)) {
    }
}

static void ended_out(struct stream *stream, enum stream_end how) {
    if (how == STREAM_ENDED) {
        stream_close(stream);
    }
    console_text(how == STREAM_REFUSED ? "error: nobody answers on the receiver's port\n"
                                       : "error: the receiver ended the connection\n");
    is_open = false;
    connection = NULL;
}

static const struct stream_user out = {.opened = opened_out, .readable = drop, .ended = ended_out};

static void opened_in(struct stream *stream) {
    for (unsigned n = 0; n < RECEIVERS; n++) {
        if (!receivers[n].is_used) {
            receivers[n] = (struct stream_receiver){.is_used = true};
            stream->context = &receivers[n];
            return;
        }
    }
    stream_abort(stream);
}

static void readable(struct stream *stream) {
    static uint8_t bytes[ONEWAY_MOST_BYTES] __attribute__((aligned(4)));
    struct oneway_receiver *receiver = &((struct stream_receiver *)stream->context)->receiver;
    oneway_began();
    for (size_t count; (count = stream_read(stream, bytes, sizeof bytes)) != 0;) {
        oneway_came(receiver, bytes, count);
    }
}

static void ended_in(struct stream *stream, enum stream_end how) {
    ((struct stream_receiver *)stream->context)->is_used = false;
    if (how == STREAM_ENDED) {
        stream_close(stream);
    }
}

static const struct stream_user in = {.opened = opened_in, .readable = readable, .ended = ended_in};

static bool start_tcp(bool wants_to_send) {
    is_sender = wants_to_send;
    if (!is_sender) {
        return network_listen((uint16_t)setting_port, &in);
    }
    tried_ms = clock_ms() - RETRY_MS;
    return true;
}

static uint32_t tick_tcp(uint32_t now_ms) {
    if (is_sender && !connection && now_ms - tried_ms >= RETRY_MS) {
        tried_ms = now_ms;
        connection = network_connect(setting_peer, (uint16_t)setting_port, &out, NULL);
    }
    return RETRY_MS;
}

static bool send_tcp(const uint8_t *bytes, size_t count) {
    return is_open && stream_room(connection) >= count && stream_write(connection, bytes, count) == count;
}

static void received(void *context, const struct endpoint *from, const uint8_t *bytes, size_t count) {
    (void)context;
    (void)from;
    struct oneway_message message;
    oneway_began();
    if (oneway_read(bytes, count, &message)) {
        oneway_arrived(&message);
    } else {
        oneway_was_wrong();
    }
}

static bool start_udp(bool wants_to_send) {
    datagrams = network_bind(wants_to_send ? SENDER_PORT : (uint16_t)setting_port, received, NULL);
    return datagrams != NULL;
}

static bool send_udp(const uint8_t *bytes, size_t count) {
    const struct endpoint receiver = {setting_peer, (uint16_t)setting_port};
    return datagrams && datagram_send(datagrams, &receiver, bytes, count);
}

const struct way way_tcp = {start_tcp, send_tcp, tick_tcp};
const struct way way_udp = {start_udp, send_udp, NULL};

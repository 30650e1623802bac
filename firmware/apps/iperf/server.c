/* The server: takes TCP connections and counts them, and keeps a session for each UDP client until its report has gone
 * out. */
#include <stddef.h>

#include "clock.h"
#include "console.h"
#include "iperf.h"
#include "iperf_session.h"
#include "network.h"
#include "rate.h"
#include "settings.h"

SETTING(port, IPERF_PORT, "port 1..65535", "the server's port, of TCP and of UDP");
SETTING(interval_ms, 1000, "ms", "how long an interval is that gets a line of its own, 0 for none");

#define CONNECTIONS 8u
#define CLIENTS 4u
/* A UDP client that is silent for so long has gone without a word, and its place is free. */
#define SILENCE_US 10000000u

static struct intake {
    bool is_used;
    uint32_t last_us;
    uint64_t bytes, time_us, told_bytes, told_us;
} intakes[CONNECTIONS];

static struct client {
    bool is_used;
    struct endpoint endpoint;
    struct iperf_session session;
    uint64_t told_bytes, told_us;
} clients[CLIENTS];

static struct datagrams *datagrams;

static void opened(struct stream *stream) {
    for (unsigned n = 0; n < CONNECTIONS; n++) {
        if (!intakes[n].is_used) {
            intakes[n] = (struct intake){.is_used = true, .last_us = clock_us()};
            stream->context = &intakes[n];
            return;
        }
    }
    stream_abort(stream);
    console_text("error: more TCP clients than there is room for\n");
}

static void readable(struct stream *stream) {
    static uint8_t bytes[4096] __attribute__((aligned(4)));
    struct intake *intake = stream->context;
    for (size_t count = sizeof bytes; count == sizeof bytes;) {
        count = stream_read(stream, bytes, sizeof bytes);
        intake->bytes += count;
    }
    uint32_t now_us = clock_us();
    intake->time_us += now_us - intake->last_us;
    intake->last_us = now_us;
}

static void ended(struct stream *stream, enum stream_end how) {
    struct intake *intake = stream->context;
    if (how == STREAM_ENDED) {
        stream_close(stream);
    } else if (how == STREAM_RESET) {
        console_text("error: a TCP client broke its connection off\n");
    }
    rate_report("TCP server, whole", intake->bytes, intake->time_us);
    intake->is_used = false;
}

static const struct stream_user user = {.opened = opened, .readable = readable, .ended = ended};

/* Theirs, else a free one, else one whose test is over. */
static struct client *client_of(const struct endpoint *from) {
    struct client *free = NULL, *over = NULL;
    for (unsigned n = 0; n < CLIENTS; n++) {
        struct client *client = &clients[n];
        if (!client->is_used) {
            free = client;
        } else if (client->endpoint.address == from->address && client->endpoint.port == from->port) {
            return client;
        } else if (client->session.has_ended) {
            over = client;
        }
    }
    free = free ? free : over;
    if (free) {
        free->is_used = false;
        free->endpoint = *from;
    }
    return free;
}

static void end(struct client *client, const struct iperf_datagram *last, const uint8_t *bytes, size_t count) {
    static uint8_t answer[DATAGRAM_MOST_BYTES];
    bool was_over = client->session.has_ended;
    const struct iperf_report *report = iperf_session_end(&client->session, last);
    size_t size = iperf_write_report(answer, sizeof answer, bytes, count, last->is_long, report);
    datagram_send(datagrams, &client->endpoint, answer, size);
    if (!was_over) {
        tell_report(report);
    }
}

static void received(void *context, const struct endpoint *from, const uint8_t *bytes, size_t count) {
    (void)context;
    struct iperf_datagram datagram;
    uint32_t now_us = clock_us();
    if (!iperf_read_datagram(bytes, count, &datagram)) {
        console_text("error: a datagram on iperf's port is too short for its number and time\n");
        return;
    }
    struct client *client = client_of(from);
    if (!client) {
        return;
    }
    if (!client->is_used || (datagram.number >= 0 && client->session.has_ended)) {
        iperf_session_start(&client->session, &datagram, now_us);
        client->is_used = true;
        client->told_bytes = client->told_us = 0;
    }
    if (datagram.number >= 0) {
        iperf_session_count(&client->session, &datagram, count, now_us);
    } else {
        end(client, &datagram, bytes, count);
    }
}

static void tell_interval(const char *name, uint64_t bytes, uint64_t time_us, uint64_t *told_bytes, uint64_t *told_us) {
    if (time_us > *told_us) {
        rate_report(name, bytes - *told_bytes, time_us - *told_us);
        *told_bytes = bytes;
        *told_us = time_us;
    }
}

uint32_t server_tick(uint32_t now_ms) {
    (void)now_ms;
    for (unsigned n = 0; n < CONNECTIONS; n++) {
        struct intake *intake = &intakes[n];
        if (intake->is_used && setting_interval_ms) {
            tell_interval("TCP server", intake->bytes, intake->time_us, &intake->told_bytes, &intake->told_us);
        }
    }
    for (unsigned n = 0; n < CLIENTS; n++) {
        struct client *client = &clients[n];
        const struct iperf_session *session = &client->session;
        if (!client->is_used) {
            continue;
        }
        if (!session->has_ended && setting_interval_ms) {
            tell_interval("UDP server", session->bytes, session->time_us, &client->told_bytes, &client->told_us);
        }
        client->is_used = !clock_is_over(session->last_us, SILENCE_US);
    }
    return setting_interval_ms ? setting_interval_ms : 1000;
}

bool server_start(void) {
    datagrams = network_bind((uint16_t)setting_port, received, NULL);
    bool listens = network_listen((uint16_t)setting_port, &user);
    return datagrams && listens;
}

/* Implementation of pages.h: pages of the image that `airwire fsdata` made, live values by their tags, a lamp by a
 * form. One connection of the HTTP core for each stream; who finds none is told so and sent away. */
#include <string.h>

#include "adc.h"
#include "clock.h"
#include "console.h"
#include "fsdata.h"
#include "http.h"
#include "lamp.h"
#include "network.h"
#include "pages.h"
#include "settings.h"
#include "site.h"

SETTING(http_port, 80, "port 1..65535", "the port of the web server");

#ifndef HTTP_CLIENTS
#define HTTP_CLIENTS 8u
#endif
/* What reads in rows is to have most requests in one go. */
#define CARRY_BYTES (HTTP_RUNS ? 128u : 96u)
#define LOOK_MS 250u
/* How long what a refused client still sends is read, so that no reset overtakes the answer (RFC 9112 9.6). */
#define DRAIN_MS 1000u

static struct client {
    struct stream *stream;
    struct http_connection http;
    uint8_t carry[CARRY_BYTES];
    uint8_t begin, end;
    bool is_draining, has_ended;
    uint32_t drained_ms;
} clients[HTTP_CLIENTS];

static struct fsdata files;

static void leave(struct client *client) {
    stream_close(client->stream);
    client->stream = NULL;
}

#ifdef FSDATA_ADDRESS_SPACE
/* Where constants lie elsewhere they are copied, and so may be what changes. */
static size_t write_pending(struct client *client, const FSDATA_CONSTANT uint8_t *bytes, size_t count) {
    return stream_write_constant(client->stream, bytes, count);
}

static void print_name(const FSDATA_CONSTANT char *name) {
    while (*name) {
        console_put(*name++);
    }
}
#else
static inline size_t write_pending(struct client *client, const uint8_t *bytes, size_t count) {
    bool is_own = (uintptr_t)bytes - (uintptr_t)&client->http < sizeof client->http;
    return is_own ? stream_write(client->stream, bytes, count) : stream_write_constant(client->stream, bytes, count);
}

static inline void print_name(const char *name) { console_text(name); }
#endif

/* Whether everything that is to be sent now has gone out. */
static bool send_pending(struct client *client) {
    const FSDATA_CONSTANT uint8_t *bytes;
    size_t count;
    while ((count = http_pending(&client->http, &bytes)) > 0) {
        size_t taken = write_pending(client, bytes, count);
        if (!taken) {
            return false;
        }
        http_sent(&client->http, taken, clock_ms());
    }
    return true;
}

/* What has come in and was not taken yet; false when there is nothing. */
static bool refill(struct client *client) {
    if (client->begin == client->end) {
        client->begin = 0;
        client->end = (uint8_t)stream_read(client->stream, client->carry, CARRY_BYTES);
    }
    return client->begin != client->end;
}

static void finish(struct client *client) {
    bool has_more = refill(client);
    if (client->has_ended || !has_more) {
        leave(client);
        return;
    }
    client->begin = client->end = 0;
    client->is_draining = true;
    client->drained_ms = clock_ms();
}

static void pump(struct client *client) {
    if (client->is_draining) {
        while (stream_read(client->stream, NULL, CARRY_BYTES)) {
        }
        return;
    }
    while (send_pending(client)) {
        if (http_is_finished(&client->http)) {
            finish(client);
            return;
        }
        if (!refill(client)) {
            return;
        }
        client->begin = (uint8_t)(client->begin + http_receive(&client->http, client->carry + client->begin,
                                                               (size_t)(client->end - client->begin), clock_ms()));
    }
}

static void opened(struct stream *stream) {
    for (unsigned n = 0; n < HTTP_CLIENTS; n++) {
        struct client *client = &clients[n];
        if (!client->stream) {
            client->stream = stream;
            client->begin = client->end = 0;
            client->is_draining = client->has_ended = false;
            stream->context = client;
            http_open(&client->http, &site, clock_ms());
            return;
        }
    }
    const uint8_t *sentence;
    size_t count = http_busy_answer(&sentence);
    stream->context = NULL;
    stream_write_constant(stream, sentence, count);
    stream_close(stream);
}

static void moved(struct stream *stream) {
    if (stream->context) {
        pump(stream->context);
    }
}

static void ended(struct stream *stream, enum stream_end how) {
    struct client *client = stream->context;
    if (!client) {
        return;
    }
    if (how != STREAM_ENDED) {
        client->stream = NULL;
        return;
    }
    client->has_ended = true;
    pump(client);
    const FSDATA_CONSTANT uint8_t *bytes;
    if (client->stream && !http_pending(&client->http, &bytes)) {
        leave(client);
    }
}

static const struct stream_user user = {.opened = opened, .readable = moved, .writable = moved, .ended = ended};

uint32_t pages_tick(uint32_t now_ms) {
    for (unsigned n = 0; n < HTTP_CLIENTS; n++) {
        struct client *client = &clients[n];
        if (!client->stream) {
            continue;
        }
        bool is_drained = client->is_draining && now_ms - client->drained_ms >= DRAIN_MS;
        if (is_drained || http_is_overdue(&client->http, now_ms)) {
            leave(client);
        }
    }
    return LOOK_MS;
}

void pages_start(void) {
    adc_start();
    lamp_start();
    if (fsdata_open(&files, fsdata_image, FSDATA_BYTES) != FSDATA_SOUND || !fsdata_is_intact(&files)) {
        console_text("error: the image of pages is damaged: build it anew with airwire fsdata\n");
        return;
    }
    site_open(&files);
    const FSDATA_CONSTANT char *missing = http_missing_tag(&site);
    if (missing) {
        console_text("error: a page asks for the tag ");
        print_name(missing);
        console_text(", which this image does not have\n");
        return;
    }
    for (unsigned n = 0; n < HTTP_CLIENTS && network_listen((uint16_t)setting_http_port, &user); n++) {
    }
}

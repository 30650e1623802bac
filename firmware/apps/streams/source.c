/* The source: sends without end, or a number of bytes, as fast as the peer takes them. */
#include <stddef.h>

#include "clock.h"
#include "console.h"
#include "network.h"
#include "pattern.h"
#include "rate.h"
#include "settings.h"
#include "streams.h"

SETTING(source_port, 19, "port 1..65535", "the source's port");
SETTING(source_bytes, 0, "bytes", "how many bytes a connection gets from the source, 0 for no end");
SETTING(source_pattern, 0, "on/off",
        "whether these are the pattern of source_seed, which the peer can check, or the same characters again and "
        "again, which cost nothing to make");
SETTING(source_seed, 0, "seed", "the seed of the source's pattern");
SETTING(source_write_bytes, 0, "bytes",
        "how many bytes the source writes at a time at most, 0 for as many as there are");

#define BLOCK_BYTES 2048u
/* So many blocks at a time: where a task empties the buffer meanwhile there is always room. */
#define BURST 16u
/* From '!' to '~' but one: the number is even, and a block of them goes on where the one before ended. */
#define CHARACTERS 64u

static struct outlet {
    bool is_used, goes_on;
    struct stream *stream;
    uint32_t began_us, moved_ms;
    uint64_t bytes;
} outlets[MOST_CONNECTIONS];

/* Once filled the characters stay, so that they need not be copied; patterns are made for whoever asks next. */
static uint8_t block[BLOCK_BYTES] __attribute__((aligned(4)));
static uint64_t block_place;
static size_t block_bytes;

static uint64_t left(const struct outlet *outlet) {
    return setting_source_bytes ? setting_source_bytes - outlet->bytes : UINT64_MAX;
}

static size_t write_characters(struct stream *stream, struct outlet *outlet, size_t most) {
    size_t at = (size_t)(outlet->bytes % CHARACTERS);
    size_t count = BLOCK_BYTES - at < most ? BLOCK_BYTES - at : most;
    return stream_write_constant(stream, block + at, count);
}

/* What did not find room the last time is still there. */
static size_t write_pattern(struct stream *stream, struct outlet *outlet, size_t most) {
    if (outlet->bytes < block_place || outlet->bytes >= block_place + block_bytes) {
        block_place = outlet->bytes;
        block_bytes = BLOCK_BYTES;
        pattern_write(setting_source_seed, block_place, block, block_bytes);
    }
    size_t at = (size_t)(outlet->bytes - block_place), count = block_bytes - at;
    return stream_write(stream, block + at, count < most ? count : most);
}

static void finish(struct stream *stream, struct outlet *outlet) {
    stream_close(stream);
    rate_report("source", outlet->bytes, clock_us() - outlet->began_us);
    outlet->is_used = false;
}

static size_t most_bytes(uint64_t rest) {
    size_t most = setting_source_write_bytes && setting_source_write_bytes < BLOCK_BYTES ? setting_source_write_bytes
                                                                                         : BLOCK_BYTES;
    return rest < most ? (size_t)rest : most;
}

/* Writes until there is no room. */
static void writable(struct stream *stream) {
    struct outlet *outlet = stream->context;
    outlet->goes_on = false;
    for (unsigned blocks = 0; blocks < BURST; blocks++) {
        uint64_t rest = left(outlet);
        if (!rest) {
            finish(stream, outlet);
            return;
        }
        size_t most = most_bytes(rest);
        size_t count =
            setting_source_pattern ? write_pattern(stream, outlet, most) : write_characters(stream, outlet, most);
        outlet->bytes += count;
        if (!count) {
            return;
        }
        outlet->moved_ms = clock_ms();
    }
    outlet->goes_on = true;
    network_call_soon();
}

void source_tick(void) {
    for (unsigned n = 0; n < MOST_CONNECTIONS; n++) {
        if (outlets[n].is_used && outlets[n].goes_on) {
            writable(outlets[n].stream);
        }
    }
}

void source_drop_quiet(uint32_t now_ms, uint32_t limit_ms) {
    for (unsigned n = 0; n < MOST_CONNECTIONS; n++) {
        if (outlets[n].is_used && is_quiet(now_ms, outlets[n].moved_ms, limit_ms)) {
            stream_abort(outlets[n].stream);
            outlets[n].is_used = false;
            console_text("error: nobody took what the source has for too long\n");
        }
    }
}

static void opened(struct stream *stream) {
    for (unsigned n = 0; n < MOST_CONNECTIONS; n++) {
        if (!outlets[n].is_used) {
            outlets[n] =
                (struct outlet){.is_used = true, .stream = stream, .began_us = clock_us(), .moved_ms = clock_ms()};
            stream->context = &outlets[n];
            writable(stream);
            return;
        }
    }
    stream_abort(stream);
}

/* What the peer says is of no interest, but must not fill its window. */
static void readable(struct stream *stream) {
    while (stream_read(stream, NULL, BLOCK_BYTES)) {
    }
}

/* A peer that has ended still takes what comes; when it goes, the stream does. */
static void ended(struct stream *stream, enum stream_end how) {
    struct outlet *outlet = stream->context;
    if (how == STREAM_ENDED) {
        if (!setting_source_bytes) {
            finish(stream, outlet);
        }
        return;
    }
    rate_report("source", outlet->bytes, clock_us() - outlet->began_us);
    outlet->is_used = false;
}

static const struct stream_user user = {.opened = opened, .readable = readable, .writable = writable, .ended = ended};

bool source_start(void) {
    for (unsigned n = 0; n < BLOCK_BYTES; n++) {
        block[n] = (uint8_t)('!' + n % CHARACTERS);
    }
    return network_listen((uint16_t)setting_source_port, &user);
}

/* The sink: takes what comes, counts it, and checks it where that is asked for. */
#include <stddef.h>
#include <string.h>

#include "clock.h"
#include "console.h"
#include "network.h"
#include "pattern.h"
#include "pools.h"
#include "rate.h"
#include "settings.h"
#include "streams.h"

SETTING(sink_port, 9, "port 1..65535", "the sink's port");
SETTING(sink_check, 0, "on/off", "whether what the sink takes must be the pattern of sink_seed");
SETTING(sink_seed, 0, "seed", "the seed of the pattern that the sink expects");

#ifdef SINK_LOOPS
/* The loops of two servers whose throughput was published: on lwIP's raw interface, and on its sockets. */
enum loop { LOOP_DRAIN, LOOP_RAW_SERVER, LOOP_SOCKETS_SERVER };
SETTING(
    sink_loop, 0, "choice drain|raw_server|sockets_server",
    "how the sink takes what is there: all of it; by segments, clearing its whole buffer before each; or up to 4096 "
    "bytes, answered with 13 bytes, before it waits again");
SETTING(sink_pools, 0, "on/off",
        "whether the sink tells what the transport's pools held at most, when a connection ends");
#define SEGMENT_BYTES 1460u
#define ANSWER_BYTES 13u
#endif

static struct intake {
    struct stream *stream;
    bool is_used, is_wrong;
    uint32_t moved_ms;
    uint32_t began_us, last_us;
    uint64_t bytes, first_difference;
} intakes[MOST_CONNECTIONS];

static void report(const struct intake *intake) {
    rate_report("sink", intake->bytes, intake->last_us - intake->began_us);
    if (intake->is_wrong) {
        console_text("error: byte ");
        console_number((uint32_t)intake->first_difference);
        console_text(" and maybe more are not the pattern's\n");
    } else if (setting_sink_check) {
        console_text("every byte was right\n");
    }
}

static void opened(struct stream *stream) {
    for (unsigned n = 0; n < MOST_CONNECTIONS; n++) {
        if (!intakes[n].is_used) {
            uint32_t now_us = clock_us();
            intakes[n] = (struct intake){
                .stream = stream, .is_used = true, .moved_ms = clock_ms(), .began_us = now_us, .last_us = now_us};
            stream->context = &intakes[n];
            return;
        }
    }
    stream_abort(stream);
}

static void check(struct intake *intake, const uint8_t *bytes, size_t count) {
    if (!setting_sink_check || intake->is_wrong) {
        return;
    }
    size_t right = pattern_difference(setting_sink_seed, intake->bytes, bytes, count);
    if (right < count) {
        intake->is_wrong = true;
        intake->first_difference = intake->bytes + right;
    }
}

static uint8_t buffer[4096] __attribute__((aligned(4)));

/* Each piece is brought to memory, as it would be for an application that uses it. */
static size_t take(struct stream *stream, size_t most) {
    struct intake *intake = stream->context;
    size_t count = stream_read(stream, buffer, most);
    check(intake, buffer, count);
    intake->bytes += count;
    return count;
}

static void take_all(struct stream *stream) {
    while (take(stream, sizeof buffer) == sizeof buffer) {
    }
}

#ifdef SINK_LOOPS
static void take_as_raw_server(struct stream *stream) {
    do {
        memset(buffer, 0, sizeof buffer);
    } while (take(stream, SEGMENT_BYTES) == SEGMENT_BYTES);
}

/* Where the transport tells again of what is left, it is asked again after each piece. */
static void take_as_sockets_server(struct stream *stream) {
    static const uint8_t answer[ANSWER_BYTES];
    size_t count;
    do {
        count = take(stream, sizeof buffer);
        if (count) {
            stream_write(stream, answer, sizeof answer);
        }
    } while (count == sizeof buffer && !network_tells_again);
}

static void report_pools(void) {
    if (setting_sink_pools) {
        pools_report();
    }
}

static void take_by_loop(struct stream *stream) {
    if (setting_sink_loop == LOOP_RAW_SERVER) {
        take_as_raw_server(stream);
    } else if (setting_sink_loop == LOOP_SOCKETS_SERVER) {
        take_as_sockets_server(stream);
    } else {
        take_all(stream);
    }
}
#else
static void report_pools(void) {}

static void take_by_loop(struct stream *stream) { take_all(stream); }
#endif

static void note_time(struct intake *intake) {
    intake->last_us = clock_us();
    intake->moved_ms = clock_ms();
}

static void readable(struct stream *stream) {
    take_by_loop(stream);
    note_time(stream->context);
}

static void ended(struct stream *stream, enum stream_end how) {
    struct intake *intake = stream->context;
    if (how == STREAM_ENDED) {
        take_all(stream);
        note_time(intake);
        stream_close(stream);
    }
    report(intake);
    report_pools();
    if (how == STREAM_RESET) {
        console_text("error: the peer broke the connection off\n");
    }
    intake->is_used = false;
}

void sink_drop_quiet(uint32_t now_ms, uint32_t limit_ms) {
    for (unsigned n = 0; n < MOST_CONNECTIONS; n++) {
        if (intakes[n].is_used && is_quiet(now_ms, intakes[n].moved_ms, limit_ms)) {
            stream_abort(intakes[n].stream);
            intakes[n].is_used = false;
            console_text("error: nothing came to the sink for too long\n");
        }
    }
}

static const struct stream_user user = {.opened = opened, .readable = readable, .ended = ended};

bool sink_start(void) { return network_listen((uint16_t)setting_sink_port, &user); }

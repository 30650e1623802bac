/* The sink: takes what comes, counts it, and checks it where that is asked for. */
#include <stddef.h>

#include "clock.h"
#include "console.h"
#include "network.h"
#include "pattern.h"
#include "rate.h"
#include "settings.h"
#include "streams.h"

SETTING(sink_port, 9, "port 1..65535", "the sink's port");
SETTING(sink_check, 0, "on/off", "whether what the sink takes must be the pattern of sink_seed");
SETTING(sink_seed, 0, "seed", "the seed of the pattern that the sink expects");

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

/* All that is there: each piece is brought to memory, as it would be for an application that uses it. */
static void readable(struct stream *stream) {
    static uint8_t bytes[4096] __attribute__((aligned(4)));
    struct intake *intake = stream->context;
    for (size_t count = sizeof bytes; count == sizeof bytes;) {
        count = stream_read(stream, bytes, sizeof bytes);
        check(intake, bytes, count);
        intake->bytes += count;
    }
    intake->last_us = clock_us();
    intake->moved_ms = clock_ms();
}

#ifdef SINK_LOOPS
#include "../sink/loops.h"

static size_t take(struct stream *stream, uint8_t *buffer, size_t most) {
    struct intake *intake = stream->context;
    size_t count = stream_read(stream, buffer, most);
    check(intake, buffer, count);
    intake->bytes += count;
    return count;
}

static void readable_by_loop(struct stream *stream) {
    struct intake *intake = stream->context;
    if (setting_sink_loop == LOOP_DRAIN) {
        readable(stream);
    } else if (setting_sink_loop == LOOP_RAW_SERVER) {
        loop_raw_server(stream, take);
    } else {
        loop_sockets_server(stream, take);
    }
    intake->last_us = clock_us();
    intake->moved_ms = clock_ms();
}
#else
#define readable_by_loop readable
#define loop_report_pools()
#endif

static void ended(struct stream *stream, enum stream_end how) {
    struct intake *intake = stream->context;
    if (how == STREAM_ENDED) {
        readable(stream);
        stream_close(stream);
    }
    report(intake);
    loop_report_pools();
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

static const struct stream_user user = {.opened = opened, .readable = readable_by_loop, .ended = ended};

bool sink_start(void) { return network_listen((uint16_t)setting_sink_port, &user); }

/* The loops of two servers whose throughput was published, on lwIP's raw interface and on its sockets, as settings of
 * the sink: apps/streams/sink.c includes it with SINK_LOOPS, and has no byte of it else. */
#ifndef SINK_LOOPS_H
#define SINK_LOOPS_H

#include <string.h>

#include "network.h"
#include "pools.h"
#include "settings.h"

enum loop { LOOP_DRAIN, LOOP_RAW_SERVER, LOOP_SOCKETS_SERVER };
SETTING(
    sink_loop, 0, "choice drain|raw_server|sockets_server",
    "how the sink takes what is there: all of it; by segments, clearing its whole buffer before each; or up to 4096 "
    "bytes, answered with 13 bytes, before it waits again");
SETTING(sink_pools, 0, "on/off",
        "whether the sink tells what the transport's pools held at most, when a connection ends");
#define SEGMENT_BYTES 1460u
#define ANSWER_BYTES 13u

/* Reads at most so many bytes into the buffer, and counts them. */
typedef size_t loop_take(struct stream *, uint8_t *buffer, size_t most);

static uint8_t loop_buffer[4096] __attribute__((aligned(4)));

static void loop_raw_server(struct stream *stream, loop_take *take) {
    do {
        memset(loop_buffer, 0, sizeof loop_buffer);
    } while (take(stream, loop_buffer, SEGMENT_BYTES) == SEGMENT_BYTES);
}

/* Where the transport tells again of what is left, it is asked again after each piece. */
static void loop_sockets_server(struct stream *stream, loop_take *take) {
    static const uint8_t answer[ANSWER_BYTES];
    size_t count;
    do {
        count = take(stream, loop_buffer, sizeof loop_buffer);
        if (count) {
            stream_write(stream, answer, sizeof answer);
        }
    } while (count == sizeof loop_buffer && !network_tells_again);
}

static void loop_report_pools(void) {
    if (setting_sink_pools) {
        pools_report();
    }
}

#endif

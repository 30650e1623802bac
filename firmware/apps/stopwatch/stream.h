/* What the stopwatch tells the host: blocks with a checksum and a number, as docs/reference/stopwatch.md describes
 * them. */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STREAM_VERSION 1u
#define STREAM_CHANNELS 4u
#define STREAM_NAME_BYTES 15u

struct stream_channel {
    uint8_t pin;
    char name[STREAM_NAME_BYTES + 1u];
};

struct stream_header {
    uint32_t clock_hz;
    unsigned channels;
    const struct stream_channel *channel;
};

enum stream_condition {
    STREAM_IDLE,
    STREAM_RUNS,
    STREAM_OVERRUN, /* samples were written over before anybody looked at them */
    STREAM_STALLED, /* samples were left out */
};

struct stream_state {
    uint64_t looked_to; /* every edge before this count was told */
    uint32_t triggers, late_triggers;
    enum stream_condition condition;
    uint8_t levels;
};

/* How many bytes the sink has room for, and where they go; it takes all of them then. */
struct stream_sink {
    size_t (*room)(void);
    void (*write)(const uint8_t *bytes, size_t count);
};

void stream_open(const struct stream_sink *sink);
void stream_header(const struct stream_header *header);
/* An answer to a command. */
void stream_answer(bool is_error, const char *text);
void stream_state(const struct stream_state *state);
/* A run begins: edges are counted from here, and the channels have these levels. */
void stream_begin_edges(uint8_t levels);
/* Counts ascend. An edge for which the sink has no room is left out, and the next block says so. */
void stream_edge(unsigned channel, bool level, uint64_t count);
/* Sends the edges that wait, where the first of them is before a count. */
void stream_flush(uint64_t before);

#endif

/* Blocks of the stream. Edges are gathered in a block until it is full or old. */
#include "stream.h"

#include "crc32.h"

#define SYNC_0 0xa7u
#define SYNC_1 0x57u
#define FRAME_BYTES 8u
#define CHECKSUM_BYTES 4u
#define PAYLOAD_BYTES 240u
#define EDGES_BYTES 16u /* before the records */
#define FLAGS_AT 13u
#define MOST_DELTA ((1u << 29) - 1u)
#define FLAG_LOST 1u

enum kind { KIND_HEADER = 'H', KIND_ANSWER = 'A', KIND_EDGES = 'E', KIND_STATE = 'S' };

static struct {
    const struct stream_sink *sink;
    uint16_t sequence;
    uint8_t block[FRAME_BYTES + PAYLOAD_BYTES + CHECKSUM_BYTES];
} stream;

static struct {
    uint8_t payload[PAYLOAD_BYTES];
    size_t bytes; /* 0 for none */
    uint64_t first, last;
    uint32_t index; /* of the next edge of the run */
    uint8_t levels;
    bool has_lost;
} edges;

static uint8_t *put(uint8_t *to, uint64_t value, unsigned bytes) {
    for (; bytes; bytes--) {
        *to++ = (uint8_t)value;
        value >>= 8;
    }
    return to;
}

void stream_open(const struct stream_sink *sink) {
    stream.sink = sink;
    stream.sequence = 0;
}

/* False where the sink has no room: then the block was never there. */
static bool send(enum kind kind, const uint8_t *payload, size_t bytes) {
    size_t all = FRAME_BYTES + bytes + CHECKSUM_BYTES;
    if (stream.sink->room() < all) {
        return false;
    }
    uint8_t *to = stream.block;
    *to++ = SYNC_0;
    *to++ = SYNC_1;
    *to++ = STREAM_VERSION;
    *to++ = (uint8_t)kind;
    to = put(to, bytes, 2);
    to = put(to, stream.sequence++, 2);
    for (size_t at = 0; at < bytes; at++) {
        *to++ = payload[at];
    }
    put(to, crc32(0, stream.block, FRAME_BYTES + bytes), CHECKSUM_BYTES);
    stream.sink->write(stream.block, all);
    return true;
}

void stream_header(const struct stream_header *header) {
    uint8_t payload[PAYLOAD_BYTES], *to = put(payload, header->clock_hz, 4);
    *to++ = (uint8_t)header->channels;
    for (unsigned channel = 0; channel < header->channels; channel++) {
        const struct stream_channel *one = &header->channel[channel];
        uint8_t *length = to + 1;
        *to = one->pin;
        to += 2;
        for (const char *name = one->name; *name; name++) {
            *to++ = (uint8_t)*name;
        }
        *length = (uint8_t)(to - length - 1);
    }
    send(KIND_HEADER, payload, (size_t)(to - payload));
}

void stream_answer(bool is_error, const char *text) {
    uint8_t payload[PAYLOAD_BYTES], *to = payload;
    *to++ = is_error;
    while (*text && to < payload + PAYLOAD_BYTES) {
        *to++ = (uint8_t)*text++;
    }
    send(KIND_ANSWER, payload, (size_t)(to - payload));
}

void stream_state(const struct stream_state *state) {
    uint8_t payload[PAYLOAD_BYTES], *to = put(payload, state->looked_to, 8);
    to = put(to, edges.index, 4);
    to = put(to, state->triggers, 4);
    to = put(to, state->late_triggers, 4);
    *to++ = (uint8_t)state->condition;
    *to++ = state->levels;
    send(KIND_STATE, payload, (size_t)(to - payload));
}

void stream_begin_edges(uint8_t levels) {
    edges.bytes = 0;
    edges.index = 0;
    edges.levels = levels;
    edges.has_lost = false;
}

static void send_edges(void) {
    if (!edges.bytes) {
        return;
    }
    edges.payload[FLAGS_AT] = edges.has_lost ? FLAG_LOST : 0;
    edges.has_lost = !send(KIND_EDGES, edges.payload, edges.bytes);
    edges.bytes = 0;
}

/* Count of the first edge, its number in the run, levels before it, flags. */
static void begin_block(uint64_t count) {
    edges.first = edges.last = count;
    uint8_t *to = put(edges.payload, count, 8);
    to = put(to, edges.index, 4);
    put(to, edges.levels, 4);
    edges.bytes = EDGES_BYTES;
}

void stream_edge(unsigned channel, bool level, uint64_t count) {
    if (edges.bytes + 4u > PAYLOAD_BYTES || (edges.bytes && count - edges.last > MOST_DELTA)) {
        send_edges();
    }
    if (!edges.bytes) {
        begin_block(count);
    }
    uint32_t record = (uint32_t)(count - edges.last) << 3 | (uint32_t)level << 2 | channel;
    put(edges.payload + edges.bytes, record, 4);
    edges.bytes += 4;
    edges.last = count;
    edges.index++;
    edges.levels = (uint8_t)((edges.levels & ~(1u << channel)) | (unsigned)level << channel);
}

void stream_flush(uint64_t before) {
    if (edges.bytes && edges.first < before) {
        send_edges();
    }
}

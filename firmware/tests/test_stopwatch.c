/* The stopwatch's parts that know no chip: edges in samples, schedules, commands, and what becomes of edges without
 * room. */
#include <string.h>

#include "commands.h"
#include "edges.h"
#include "expect.h"
#include "schedule.h"
#include "stream.h"

#define GROUPS 64u
#define WORDS (GROUPS * EDGES_GROUP_WORDS)
#define MOST_EDGES 4096u
#define CLOCK_HZ 125000000u

static struct {
    unsigned channel;
    bool level;
    uint64_t sample;
} found[MOST_EDGES];
static unsigned found_count;

static void note(unsigned channel, bool level, uint64_t sample) {
    if (found_count < MOST_EDGES) {
        found[found_count].channel = channel;
        found[found_count].level = level;
        found[found_count].sample = sample;
    }
    found_count++;
}

static uint32_t random_word(void) {
    static uint32_t random = 7;
    random = random * 1664525u + 1013904223u;
    return random;
}

static uint32_t samples[EDGES_CHANNELS][WORDS];

static unsigned sample(unsigned channel, uint64_t at) { return samples[channel][at / 32u] >> at % 32u & 1u; }

/* Rests of some hundred samples, with bursts among them. */
static void draw_samples(void) {
    for (unsigned channel = 0; channel < EDGES_CHANNELS; channel++) {
        unsigned level = channel & 1u;
        for (uint64_t at = 0, next = 0; at < WORDS * 32u; at++) {
            if (at >= next) {
                level ^= at > 0;
                next = at + (random_word() >> 28 ? 200u + random_word() % 3000u : 1u + random_word() % 3u);
            }
            samples[channel][at / 32u] &= ~(1u << at % 32u);
            samples[channel][at / 32u] |= (uint32_t)level << at % 32u;
        }
    }
}

/* Every sample is compared with the one before. */
static void every_edge_is_found_in_the_order_of_time(void) {
    draw_samples();
    for (unsigned channels = 1; channels <= EDGES_CHANNELS; channels++) {
        struct edge_finder finder;
        found_count = 0;
        edges_start(&finder, channels, 2u | 8u, note);
        for (unsigned group = 0; group < GROUPS; group += 4) {
            const uint32_t *words[EDGES_CHANNELS];
            for (unsigned channel = 0; channel < EDGES_CHANNELS; channel++) {
                words[channel] = samples[channel] + group * EDGES_GROUP_WORDS;
            }
            edges_find(&finder, words, 4);
        }
        unsigned next = 0;
        for (uint64_t at = 0; at < WORDS * 32u; at++) {
            for (unsigned channel = 0; channel < channels; channel++) {
                unsigned before = at ? sample(channel, at - 1) : channel & 1u;
                if (sample(channel, at) != before && next < found_count && next < MOST_EDGES) {
                    EXPECT_EQUAL(found[next].channel, channel);
                    EXPECT_EQUAL(found[next].level, sample(channel, at));
                    EXPECT_EQUAL(found[next].sample, at);
                }
                next += sample(channel, at) != before;
            }
        }
        EXPECT_EQUAL(found_count, next);
        EXPECT_EQUAL(found_count > 20u, 1);
        EXPECT_EQUAL(finder.words, WORDS);
    }
}

static void a_sweep_begins_again_where_it_ends(void) {
    static const uint32_t wanted[] = {1250, 1500, 1750, 2000, 1250, 1500};
    struct schedule schedule = {.sweep_from_ns = 10000, .sweep_to_ns = 16500, .sweep_step_ns = 2000, .count = 6};
    struct schedule_course course;
    schedule_begin(&course, &schedule, CLOCK_HZ);
    for (unsigned n = 0; n < sizeof wanted / sizeof *wanted; n++) {
        EXPECT_EQUAL(schedule_is_over(&course), 0);
        EXPECT_EQUAL(schedule_next(&course), wanted[n]);
    }
    EXPECT_EQUAL(schedule_is_over(&course), 1);
}

static void jitter_stays_within_its_bounds_and_reaches_them(void) {
    struct schedule schedule = {.period_ns = 8000, .jitter_ns = 80, .seed = 9};
    struct schedule_course course;
    uint32_t least = UINT32_MAX, most = 0;
    schedule_begin(&course, &schedule, CLOCK_HZ);
    for (unsigned n = 0; n < 1000; n++) {
        uint32_t cycles = schedule_next(&course);
        least = cycles < least ? cycles : least;
        most = cycles > most ? cycles : most;
    }
    EXPECT_EQUAL(schedule_is_over(&course), 0);
    EXPECT_EQUAL(least, 1000);
    EXPECT_EQUAL(most, 1010);
}

static const char *complaint_of(const char *command, struct stopwatch_setup *setup, bool runs) {
    char line[96];
    strncpy(line, command, sizeof line - 1);
    line[sizeof line - 1] = 0;
    return commands_take(line, setup, runs).complaint;
}

static void commands_change_what_they_name_or_nothing(void) {
    static const char *const wrong[] = {
        "channels",
        "channels a=2 b=2",
        "channels a=30",
        "channels =2",
        "channels abcdefghijklmnop=1",
        "channels a=1x",
        "trigger",
        "trigger pulses",
        "period 0",
        "period 1 2",
        "period 4294967296",
        "jitter 5",
        "jitter 5 0",
        "sweep 5 4 1",
        "count",
        "byte 256",
        "baud 299",
        "",
        "   ",
        "start now",
        "channels a=1 b=2 c=3 d=4 e=5",
    };
    struct stopwatch_setup setup = commands_default;
    for (unsigned n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        EXPECT_EQUAL(complaint_of(wrong[n], &setup, false) != 0, 1);
        EXPECT_EQUAL(memcmp(&setup, &commands_default, sizeof setup), 0);
    }
    EXPECT_EQUAL(complaint_of("count 5", &setup, true) != 0, 1);
    EXPECT_EQUAL(complaint_of("  channels  t=29 d=0 x=1 ", &setup, false) == 0, 1);
    EXPECT_EQUAL(setup.channels, 3);
    EXPECT_EQUAL(setup.channel[0].pin, 29);
    EXPECT_TEXT(setup.channel[1].name, "d");
    EXPECT_EQUAL(complaint_of("jitter 4294967294 4294967295", &setup, false) == 0, 1);
    EXPECT_EQUAL(commands_check(&setup, CLOCK_HZ) != 0, 1);
}

static void a_byte_is_a_pattern_with_start_and_stop_bit(void) {
    struct stopwatch_setup setup = commands_default;
    setup.trigger = TRIGGER_UART;
    setup.byte = 0x81;
    struct trigger_pattern pattern = commands_pattern(&setup, CLOCK_HZ);
    EXPECT_EQUAL(pattern.levels, 0x302);
    EXPECT_EQUAL(pattern.bits, 10);
    EXPECT_EQUAL(pattern.bit_cycles, 1085);
    EXPECT_EQUAL(pattern.idle, 1);
}

static uint8_t sent[4096];
static size_t sent_bytes, room;

static size_t sink_room(void) { return room; }

static void sink_write(const uint8_t *bytes, size_t count) {
    for (size_t at = 0; at < count && sent_bytes < sizeof sent; at++) {
        sent[sent_bytes++] = bytes[at];
    }
}

/* Place of the number of the first edge and of the flags in a block of edges. */
#define INDEX_AT 16u
#define FLAGS_AT 21u

static void edges_without_room_are_left_out_and_the_next_block_says_so(void) {
    static const struct stream_sink sink = {sink_room, sink_write};
    stream_open(&sink);
    stream_begin_edges(0);
    room = 10;
    stream_edge(0, true, 100);
    stream_edge(0, false, 200);
    stream_flush(UINT64_MAX);
    EXPECT_EQUAL(sent_bytes, 0);
    room = 1000;
    stream_edge(1, true, 300);
    stream_flush(300);
    EXPECT_EQUAL(sent_bytes, 0);
    stream_flush(301);
    EXPECT_EQUAL(sent_bytes, 8 + 16 + 4 + 4);
    EXPECT_EQUAL(sent[INDEX_AT], 2);
    EXPECT_EQUAL(sent[FLAGS_AT], 1);
    sent_bytes = 0;
    stream_edge(1, false, 400);
    stream_edge(1, true, 400 + (UINT64_C(1) << 29)); /* too far for one record: a block of its own */
    stream_flush(UINT64_MAX);
    EXPECT_EQUAL(sent_bytes, 2 * (8 + 16 + 4 + 4));
    EXPECT_EQUAL(sent[FLAGS_AT], 0);
}

int main(void) {
    every_edge_is_found_in_the_order_of_time();
    a_sweep_begins_again_where_it_ends();
    jitter_stays_within_its_bounds_and_reaches_them();
    commands_change_what_they_name_or_nothing();
    a_byte_is_a_pattern_with_start_and_stop_bit();
    edges_without_room_are_left_out_and_the_next_block_says_so();
    return expect_result();
}

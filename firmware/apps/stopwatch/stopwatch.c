/* A stopwatch on a bare Pico: it triggers a device, notes every edge of the trigger and of what the device answers
 * with, to the cycle, and streams the edges over USB. One loop: the host's commands, the next triggers, the samples. */
#include "clock.h"
#include "commands.h"
#include "edges.h"
#include "gpio.h"
#include "pattern_generator.h"
#include "sampler.h"
#include "usb_serial.h"

_Static_assert(EDGES_CHANNELS == SAMPLER_CHANNELS && STREAM_CHANNELS == SAMPLER_CHANNELS, "all know as many channels");
_Static_assert(SAMPLER_RING_WORDS % EDGES_GROUP_WORDS == 0, "no group lies across the end of a ring");

#define LINE_BYTES 96u
#define SAMPLES_PER_WORD 32u
/* The host is answered between so many groups, which are some 130 us at 125 MHz. */
#define MOST_GROUPS 32u
#define FLUSHES_PER_S 1000u
#define STATES_PER_S 10u

static struct {
    struct stopwatch_setup setup;
    struct edge_finder finder;
    struct schedule_course course;
    struct stream_state state;
    uint64_t next_state;
    bool runs;
    char line[LINE_BYTES];
    size_t line_bytes;
    bool line_is_too_long;
} stopwatch;

static void write_all(const uint8_t *bytes, size_t count) { (void)usb_serial_write(bytes, count); }

static const struct stream_sink sink = {usb_serial_room, write_all};

static void tell_header(void) {
    struct stream_header header = {clock_system_hz(), stopwatch.setup.channels, stopwatch.setup.channel};
    stream_header(&header);
}

static void tell_state(void) {
    stopwatch.state.looked_to = stopwatch.finder.words * SAMPLES_PER_WORD;
    stopwatch.state.levels = (uint8_t)edges_levels(&stopwatch.finder);
    stream_state(&stopwatch.state);
}

/* The trigger's pin keeps the level of rest: a module with an open RXD would hear noise. */
static void rest(void) {
    if (stopwatch.setup.trigger != TRIGGER_NONE) {
        struct trigger_pattern trigger = commands_pattern(&stopwatch.setup, clock_system_hz());
        gpio_output(stopwatch.setup.channel[0].pin, trigger.idle);
    }
    pattern_stop();
}

static void end(enum stream_condition condition) {
    rest();
    sampler_stop();
    stream_flush(UINT64_MAX);
    stopwatch.runs = false;
    stopwatch.state.condition = condition;
    tell_state();
}

static void start_trigger(void) {
    uint8_t pin = stopwatch.setup.channel[0].pin;
    struct trigger_pattern trigger = commands_pattern(&stopwatch.setup, clock_system_hz());
    struct pattern pattern = {pin, trigger.idle, trigger.bits, trigger.levels, trigger.bit_cycles};
    if (stopwatch.setup.trigger == TRIGGER_NONE) {
        gpio_input(pin, GPIO_PULLED_DOWN);
    } else {
        pattern_start(&pattern);
    }
}

static void begin(void) {
    const struct stopwatch_setup *setup = &stopwatch.setup;
    uint8_t pins[SAMPLER_CHANNELS];
    uint32_t levels = 0;
    start_trigger();
    for (unsigned channel = 0; channel < setup->channels; channel++) {
        pins[channel] = setup->channel[channel].pin;
        if (channel > 0) {
            gpio_input(pins[channel], GPIO_PULLED_DOWN);
        }
    }
    uint32_t from = clock_us();
    while (!clock_is_over(from, 2)) { /* for the pulls */
    }
    for (unsigned channel = 0; channel < setup->channels; channel++) {
        levels |= (uint32_t)gpio_get(pins[channel]) << channel;
    }
    schedule_begin(&stopwatch.course, &setup->schedule, clock_system_hz());
    stopwatch.state = (struct stream_state){.condition = STREAM_RUNS};
    stopwatch.next_state = 0;
    stopwatch.runs = true;
    edges_start(&stopwatch.finder, setup->channels, levels, stream_edge);
    tell_header();
    stream_begin_edges((uint8_t)levels);
    sampler_start(pins, setup->channels);
}

static void obey(char *line) {
    struct command_result result = commands_take(line, &stopwatch.setup, stopwatch.runs);
    const char *complaint = result.complaint;
    /* A header begins a run for whoever reads the stream. */
    if (stopwatch.runs && (result.command == COMMAND_START || result.command == COMMAND_HELLO)) {
        complaint = "it runs; send stop first";
    } else if (result.command == COMMAND_START) {
        complaint = commands_check(&stopwatch.setup, clock_system_hz());
    }
    stream_answer(complaint != 0, complaint ? complaint : "");
    if (complaint) {
        return;
    }
    if (result.command == COMMAND_HELLO) {
        tell_header();
    } else if (result.command == COMMAND_START) {
        begin();
    } else if (result.command == COMMAND_STOP && stopwatch.runs) {
        end(STREAM_IDLE);
    } else if (result.command == COMMAND_STOP || result.command == COMMAND_STATE) {
        tell_state();
    }
}

static void end_line(void) {
    if (stopwatch.line_is_too_long) {
        stream_answer(true, "the line is longer than 95 characters");
    } else if (stopwatch.line_bytes) {
        stopwatch.line[stopwatch.line_bytes] = 0;
        obey(stopwatch.line);
    }
    stopwatch.line_bytes = 0;
    stopwatch.line_is_too_long = false;
}

static void listen(void) {
    uint8_t bytes[64];
    size_t count = usb_serial_read(bytes, sizeof bytes);
    for (size_t at = 0; at < count; at++) {
        if (bytes[at] == '\n' || bytes[at] == '\r') {
            end_line();
        } else if (stopwatch.line_bytes + 1u < LINE_BYTES) {
            stopwatch.line[stopwatch.line_bytes++] = (char)bytes[at];
        } else {
            stopwatch.line_is_too_long = true;
        }
    }
}

static void trigger(void) {
    if (stopwatch.setup.trigger == TRIGGER_NONE) {
        return;
    }
    while (!schedule_is_over(&stopwatch.course) && pattern_has_room()) {
        stopwatch.state.late_triggers += pattern_put(schedule_next(&stopwatch.course));
        stopwatch.state.triggers++;
    }
}

static void tell_in_time(void) {
    uint64_t now = stopwatch.finder.words * SAMPLES_PER_WORD;
    uint32_t clock_hz = clock_system_hz(), age = clock_hz / FLUSHES_PER_S;
    stream_flush(now > age ? now - age : 0);
    if (now >= stopwatch.next_state) {
        stopwatch.next_state = now + clock_hz / STATES_PER_S;
        tell_state();
    }
}

/* Whole groups that are there and lie in one piece, but no more than the host can wait for. */
static unsigned groups_there(uint32_t first) {
    uint32_t words = sampler_words() - first, piece = SAMPLER_RING_WORDS - first % SAMPLER_RING_WORDS;
    uint32_t groups = (words < piece ? words : piece) / EDGES_GROUP_WORDS;
    return groups < MOST_GROUPS ? groups : MOST_GROUPS;
}

static void look(void) {
    const uint32_t *words[SAMPLER_CHANNELS] = {0};
    uint32_t first = (uint32_t)stopwatch.finder.words;
    for (unsigned channel = 0; channel < stopwatch.setup.channels; channel++) {
        words[channel] = sampler_ring(channel) + first % SAMPLER_RING_WORDS;
    }
    edges_find(&stopwatch.finder, words, groups_there(first));
    /* Only now is it known that nothing was written over while it was read. */
    if (sampler_words() - first > SAMPLER_RING_WORDS) {
        end(STREAM_OVERRUN);
    } else if (sampler_has_stalled()) {
        end(STREAM_STALLED);
    } else {
        tell_in_time();
    }
}

int main(void) {
    clock_start();
    stopwatch.setup = commands_default;
    stream_open(&sink);
    usb_serial_start("Airwire stopwatch");
    for (;;) {
        usb_serial_poll();
        listen();
        if (stopwatch.runs) {
            trigger();
            look();
        }
    }
}

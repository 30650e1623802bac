/* Commands: a word, and arguments behind spaces. Times are whole nanoseconds. */
#include "commands.h"

#include "decimal.h"
#include "pattern_generator.h"

#define MOST_WORDS 6u
#define PINS 30u
#define LEAST_BAUD 300u
#define SERIAL_BITS 10u /* with start bit and stop bit */
#define PULSE_BITS 2u   /* the pulse, and as long without it */

const struct stopwatch_setup commands_default = {
    .channel = {{2, "trigger"}, {3, "done"}},
    .channels = 2,
    .trigger = TRIGGER_PULSE,
    .pulse_ns = 10000,
    .baud = 115200,
    .byte = 'U',
    .schedule = {.period_ns = 10000000, .seed = 1},
};

static size_t length_of(const char *text) {
    size_t length = 0;
    while (text[length]) {
        length++;
    }
    return length;
}

static bool is(const char *word, const char *name) {
    while (*word && *word == *name) {
        word++;
        name++;
    }
    return *word == *name;
}

static unsigned split(char *line, char *words[MOST_WORDS]) {
    unsigned count = 0;
    while (*line && count < MOST_WORDS) {
        while (*line == ' ') {
            *line++ = 0;
        }
        if (*line) {
            words[count++] = line;
        }
        while (*line && *line != ' ') {
            line++;
        }
    }
    return count;
}

static bool number(const char *word, uint32_t least, uint32_t most, uint32_t *value) {
    uint32_t found;
    if (!decimal_read(word, length_of(word), &found) || found < least || found > most) {
        return false;
    }
    *value = found;
    return true;
}

/* name=pin */
static bool channel(char *word, struct stream_channel *channel) {
    size_t at = 0;
    uint32_t pin;
    for (; word[at] && word[at] != '=' && at < STREAM_NAME_BYTES; at++) {
        channel->name[at] = word[at];
    }
    if (at == 0 || word[at] != '=' || !number(word + at + 1, 0, PINS - 1u, &pin)) {
        return false;
    }
    channel->name[at] = 0;
    channel->pin = (uint8_t)pin;
    return true;
}

static const char *take_channels(char *words[], unsigned count, struct stopwatch_setup *setup) {
    struct stream_channel channels[STREAM_CHANNELS];
    if (count == 0 || count > STREAM_CHANNELS) {
        return "channels takes 1 to 4 of name=pin; the first is the trigger";
    }
    for (unsigned one = 0; one < count; one++) {
        if (!channel(words[one], &channels[one])) {
            return "a channel is name=pin, with a name of 1 to 15 characters and a pin of 0 to 29";
        }
        for (unsigned other = 0; other < one; other++) {
            if (channels[other].pin == channels[one].pin) {
                return "two channels have one pin";
            }
        }
    }
    for (unsigned one = 0; one < count; one++) {
        setup->channel[one] = channels[one];
    }
    setup->channels = count;
    return 0;
}

static const char *take_trigger(const char *word, struct stopwatch_setup *setup) {
    static const char *const names[] = {"pulse", "uart", "rts", "none"};
    for (unsigned kind = 0; kind < sizeof names / sizeof names[0]; kind++) {
        if (is(word, names[kind])) {
            setup->trigger = (enum trigger_kind)kind;
            return 0;
        }
    }
    return "trigger takes pulse, uart, rts or none";
}

static const char *take_sweep(char *words[], struct schedule *schedule) {
    uint32_t from, to, step;
    if (!number(words[0], 1, UINT32_MAX, &from) || !number(words[1], from, UINT32_MAX, &to) ||
        !number(words[2], 0, UINT32_MAX, &step)) {
        return "sweep takes from, to and step in ns; a step of 0 turns it off";
    }
    schedule->sweep_from_ns = from;
    schedule->sweep_to_ns = to;
    schedule->sweep_step_ns = step;
    return 0;
}

/* A setting that is one number. */
static const char *take_number(const char *name, const char *word, struct stopwatch_setup *setup) {
    uint32_t byte;
    if (is(name, "period")) {
        return number(word, 1, UINT32_MAX, &setup->schedule.period_ns) ? 0 : "period takes 1 to 4294967295 ns";
    }
    if (is(name, "count")) {
        return number(word, 0, UINT32_MAX, &setup->schedule.count) ? 0 : "count takes a number; 0 is without an end";
    }
    if (is(name, "pulse")) {
        return number(word, 1, UINT32_MAX, &setup->pulse_ns) ? 0 : "pulse takes 1 to 4294967295 ns";
    }
    if (is(name, "baud")) {
        return number(word, LEAST_BAUD, 10000000, &setup->baud) ? 0 : "baud takes 300 to 10000000";
    }
    if (is(name, "byte") && number(word, 0, 255, &byte)) {
        setup->byte = (uint8_t)byte;
        return 0;
    }
    return is(name, "byte") ? "byte takes 0 to 255" : "there is no such command";
}

static const char *take_setting(char *words[], unsigned count, struct stopwatch_setup *setup) {
    if (is(words[0], "channels")) {
        return take_channels(words + 1, count - 1, setup);
    }
    if (is(words[0], "jitter") && count == 3) {
        uint32_t jitter, seed;
        if (!number(words[1], 0, UINT32_MAX - 1u, &jitter) || !number(words[2], 1, UINT32_MAX, &seed)) {
            return "jitter takes a time in ns and a seed from 1 on";
        }
        setup->schedule.jitter_ns = jitter;
        setup->schedule.seed = seed;
        return 0;
    }
    if (is(words[0], "sweep") && count == 4) {
        return take_sweep(words + 1, &setup->schedule);
    }
    if (is(words[0], "trigger") && count == 2) {
        return take_trigger(words[1], setup);
    }
    return count == 2 ? take_number(words[0], words[1], setup)
                      : "there is no such command, or it has another number of arguments";
}

struct command_result commands_take(char *line, struct stopwatch_setup *setup, bool runs) {
    static const char *const names[] = {"hello", "start", "stop", "state"};
    static const enum command commands[] = {COMMAND_HELLO, COMMAND_START, COMMAND_STOP, COMMAND_STATE};
    char *words[MOST_WORDS];
    unsigned count = split(line, words);
    if (count == 0) {
        return (struct command_result){COMMAND_WRONG, "the line has no command"};
    }
    for (unsigned one = 0; count == 1 && one < sizeof names / sizeof names[0]; one++) {
        if (is(words[0], names[one])) {
            return (struct command_result){commands[one], 0};
        }
    }
    const char *complaint = runs ? "it runs; send stop first" : take_setting(words, count, setup);
    return (struct command_result){complaint ? COMMAND_WRONG : COMMAND_SETS, complaint};
}

struct trigger_pattern commands_pattern(const struct stopwatch_setup *setup, uint32_t clock_hz) {
    bool is_serial = setup->trigger == TRIGGER_UART, idles_high = setup->trigger != TRIGGER_PULSE;
    return (struct trigger_pattern){
        .idle = idles_high,
        .bits = is_serial ? SERIAL_BITS : PULSE_BITS,
        .levels = is_serial    ? (uint32_t)setup->byte << 1 | 1u << (SERIAL_BITS - 1u)
                  : idles_high ? 2u
                               : 1u,
        .bit_cycles =
            is_serial ? (clock_hz + setup->baud / 2u) / setup->baud : schedule_cycles(setup->pulse_ns, clock_hz),
    };
}

const char *commands_check(const struct stopwatch_setup *setup, uint32_t clock_hz) {
    if (setup->trigger == TRIGGER_NONE) {
        return 0;
    }
    struct trigger_pattern pattern = commands_pattern(setup, clock_hz);
    uint64_t taken = (uint64_t)pattern.bits * pattern.bit_cycles + PATTERN_LEAST_GAP_CYCLES;
    if (pattern.bit_cycles < PATTERN_LEAST_BIT_CYCLES) {
        return "the pulse is shorter than 4 cycles of the clock";
    }
    if (schedule_cycles(schedule_least_ns(&setup->schedule), clock_hz) < taken) {
        return "the period is shorter than the trigger: twice the pulse, or the ten bits of a byte, and 4 cycles";
    }
    if ((uint64_t)setup->schedule.jitter_ns + setup->schedule.period_ns > UINT32_MAX) {
        return "period and jitter together are more than 4294967295 ns";
    }
    return 0;
}

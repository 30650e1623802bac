/* Commands of the host, lines of text: what they change, and which of them ask for something to be done. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "schedule.h"
#include "stream.h"

enum trigger_kind { TRIGGER_PULSE, TRIGGER_UART, TRIGGER_RTS, TRIGGER_NONE };

struct stopwatch_setup {
    struct stream_channel channel[STREAM_CHANNELS]; /* the first is the trigger's */
    unsigned channels;
    enum trigger_kind trigger;
    uint32_t pulse_ns, baud;
    uint8_t byte;
    struct schedule schedule;
};

enum command {
    COMMAND_SETS, /* the setup was changed */
    COMMAND_HELLO,
    COMMAND_START,
    COMMAND_STOP,
    COMMAND_STATE,
    COMMAND_WRONG, /* nothing was changed */
};

struct command_result {
    enum command command;
    const char *complaint; /* where it is wrong */
};

/* What the stopwatch does where nobody told it anything. */
extern const struct stopwatch_setup commands_default;
/* `line` ends with a zero, and is taken apart. Settings are refused while it `runs`. */
struct command_result commands_take(char *line, struct stopwatch_setup *setup, bool runs);
/* What is wrong with a setup as a whole, or null. */
const char *commands_check(const struct stopwatch_setup *setup, uint32_t clock_hz);
/* The pattern that triggers: how many bits, which levels, how long each. */
struct trigger_pattern {
    bool idle;
    uint8_t bits;
    uint32_t levels, bit_cycles;
};
struct trigger_pattern commands_pattern(const struct stopwatch_setup *setup, uint32_t clock_hz);

#endif

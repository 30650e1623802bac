/* TCP ping-pong, the client: sends 1, and for each number that comes back sends the next one, as field reports of
 * message rates do. Nothing separates the numbers: at most one is on its way, so that what is there is one number. */
#include "application.h"
#include "clock.h"
#include "console.h"
#include "decimal.h"
#include "network.h"
#include "settings.h"

SETTING(server, SETTING_ADDRESS(192, 168, 1, 1), "address", "the ping-pong server");
SETTING(server_port, 5000, "port 1..65535", "its port");
SETTING(rounds, 1000, "numbers 1..4294967295", "how many numbers it sends");
SETTING(print_each, 0, "on/off", "whether each number that comes back is printed on the console");
SETTING(work_us, 0, "us", "how long the processor is busy with each message beyond what the driver takes");

#define RETRY_MS 1000u

static struct {
    uint32_t sent, errors, number;
    uint32_t began_us, asked_us, shortest_us, longest_us;
    bool is_connected, is_done;
} game;

static void send_number(struct stream *stream) {
    char digits[DECIMAL_DIGITS];
    size_t count = (size_t)(decimal_write(digits, game.number) - digits);
    game.asked_us = clock_us();
    game.sent++;
    stream_write(stream, digits, count);
}

static void report(void) {
    uint32_t whole_us = clock_us() - game.began_us;
    console_named("messages", game.sent);
    console_named("errors", game.errors);
    console_named("last number", game.number);
    console_named("microseconds in all", whole_us);
    console_named("shortest", game.shortest_us);
    console_named("longest", game.longest_us);
    console_text("done\n");
}

static void opened(struct stream *stream) {
    game.number = 1;
    game.sent = game.errors = game.longest_us = 0;
    game.shortest_us = UINT32_MAX;
    game.is_connected = true;
    game.began_us = clock_us();
    send_number(stream);
}

/* Stands for what an application or an interpreter does with a message. */
static void work(void) {
    if (!setting_work_us) {
        return;
    }
    for (uint32_t from = clock_us(); !clock_is_over(from, setting_work_us);) {
    }
}

static void readable(struct stream *stream) {
    char text[DECIMAL_DIGITS + 6];
    size_t count = stream_read(stream, text, sizeof text);
    if (!count) {
        return;
    }
    uint32_t answer, taken_us = clock_us() - game.asked_us;
    game.shortest_us = taken_us < game.shortest_us ? taken_us : game.shortest_us;
    game.longest_us = taken_us > game.longest_us ? taken_us : game.longest_us;
    if (!decimal_read(text, count, &answer) || answer != game.number + 1) {
        game.errors++;
        answer = game.number + 1;
    }
    if (setting_print_each) {
        console_named("received", answer);
    }
    work();
    game.number = answer + 1;
    if (game.sent < setting_rounds) {
        send_number(stream);
    } else {
        game.number = answer;
        game.is_done = true;
        report();
        stream_close(stream);
    }
}

static void ended(struct stream *stream, enum stream_end how) {
    game.is_connected = false;
    if (!game.is_done) {
        console_text(how == STREAM_REFUSED ? "error: nobody answers on the server's port\n"
                                           : "error: the connection ended before all was said\n");
    }
    if (how == STREAM_ENDED) {
        stream_close(stream);
    }
}

static const struct stream_user user = {.opened = opened, .readable = readable, .ended = ended};

static uint32_t tick(uint32_t now_ms) {
    (void)now_ms;
    if (game.is_done) {
        return NETWORK_NEVER;
    }
    if (!game.is_connected) {
        network_connect(setting_server, (uint16_t)setting_server_port, &user, 0);
        game.is_connected = true;
    }
    return RETRY_MS;
}

static void start(void) { network_call_soon(); }

const struct application application = {"TCP ping-pong client", start, tick};

/* Ping-pong over a serial line, both players: a decimal number and the end of a line, up by one each time. Who asks
 * begins with 1, and for each number that comes back sends the next one; what is no number, and what does not come
 * within a second, is an error, and it asks once more. */
#include "application.h"
#include "clock.h"
#include "console.h"
#include "decimal.h"
#include "settings.h"
#include "uart.h"

enum role { ROLE_ASKS, ROLE_ANSWERS };

SETTING(role, ROLE_ASKS, "choice asks|answers", "which player it is");
SETTING(rounds, 1000, "numbers 1..4294967295", "how many numbers the one that asks sends");
SETTING(uart_baud, 115200, "baud 300..3900000", "the rate of the second UART, such as UART1 on GP4 (out) and GP5 (in)");

#define PATIENCE_US 1000000u

static char text[DECIMAL_DIGITS + 1u];
static size_t text_count;

static struct {
    uint32_t sent, errors, number, asked_us;
    bool has_begun, is_done;
} game = {.number = 1};

static bool send_number(uint32_t number) {
    char digits[DECIMAL_DIGITS + 1u];
    char *end = decimal_write(digits, number);
    *end++ = '\n';
    size_t count = (size_t)(end - digits);
    return uart_write((const uint8_t *)digits, count) == count;
}

static void ask(void) {
    game.sent++;
    game.asked_us = clock_us();
    if (!send_number(game.number)) {
        game.errors++;
    }
}

static void report(void) {
    game.is_done = true;
    console_named("messages", game.sent);
    console_named("errors", game.errors);
    console_named("last number", game.number);
    console_text("done\n");
}

/* What the one that asks does with an answer, or without one. */
static void go_on(bool is_number, uint32_t answer) {
    if (!is_number || answer != game.number + 1) {
        game.errors++;
        answer = game.number + 1;
    }
    if (game.sent >= setting_rounds) {
        game.number = answer;
        report();
        return;
    }
    game.number = answer + 1;
    ask();
}

static void take_line(void) {
    uint32_t number;
    bool is_number = decimal_read(text, text_count, &number);
    if (setting_role == ROLE_ASKS) {
        if (!game.is_done) {
            go_on(is_number, is_number ? number : 0);
        }
    } else if (is_number && !send_number(number + 1)) {
        game.errors++;
    }
}

static uint32_t tick(uint32_t now_ms) {
    uint8_t byte;
    (void)now_ms;
    if (setting_role == ROLE_ASKS && !game.has_begun) {
        game.has_begun = true;
        ask();
    }
    while (uart_read(&byte, 1)) {
        if (byte == '\n') {
            take_line();
            text_count = 0;
        } else if (text_count < sizeof text) {
            text[text_count++] = (char)byte;
        }
    }
    if (setting_role == ROLE_ASKS && !game.is_done && clock_is_over(game.asked_us, PATIENCE_US)) {
        text_count = 0;
        go_on(false, 0);
    }
    return 0;
}

static void start(void) {
    uart_start(setting_uart_baud ? setting_uart_baud : 1);
    network_call_soon();
}

const struct application application = {"Serial ping-pong", start, tick};

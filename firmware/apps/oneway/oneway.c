/* The agent of one-way measurements: as the sender it sends a message for each pulse on the trigger pin, as the
 * receiver it raises the done pin when a message is there and right, for a short while. Nothing is
 * printed until the line has been silent for a second, so that the console is in nobody's way. */
#include "oneway.h"
#include "application.h"

#include "clock.h"
#include "console.h"
#include "gpio.h"
#include "settings.h"

SETTING(role, ROLE_SENDER, "choice sender|receiver", "which end of the link it is");
SETTING(trigger_pin, 2, "pin 0..29", "the sender's pin: a message for each rising edge");
SETTING(done_pin, 3, "pin 0..29",
        "the receiver's pin: it rises when a message is there and right, for 2 ms or to the beginning of the next one");
SETTING(payload_bytes, 12, "bytes 12..1024", "the length of a message, with its header and CRC");
SETTING(transport, TRANSPORT_TCP, "choice tcp|udp|uart",
        "what carries the messages; uart is UART1 on GP4 (out) and GP5 (in)");

#define SILENCE_MS 1000u
/* An analyser pairs a trigger with a done edge only where done was low when the trigger came. */
#define DONE_HIGH_MS 2u
#define MAKE_AFTER_MS 1u

static const struct way *const ways[] = {&way_tcp, &way_udp, &way_uart};
static const struct way *way;
static volatile uint32_t pulses;
static uint32_t served;
static struct {
    uint32_t sent, unsent, received, wrong, reordered, next_sequence, last_ms;
    bool has_news;
} counts;

static void pulse(void) {
    pulses++;
    network_call_soon();
}

static bool is_done_high;

static void put_done(bool high) {
    gpio_put(setting_done_pin, high);
    is_done_high = high;
}

static void note(uint32_t *count) {
    (*count)++;
    counts.last_ms = clock_ms();
    counts.has_news = true;
}

void oneway_began(void) { put_done(false); }

void oneway_arrived(const struct oneway_message *message) {
    put_done(true);
    network_call_soon();
    if (message->sequence < counts.next_sequence) {
        counts.reordered++;
    }
    counts.next_sequence = message->sequence + 1;
    note(&counts.received);
}

void oneway_was_wrong(void) { note(&counts.wrong); }

void oneway_came(struct oneway_receiver *receiver, const uint8_t *bytes, size_t count) {
    uint32_t dropped = receiver->dropped;
    struct oneway_message message;
    for (size_t at = 0; at < count;) {
        at += oneway_take(receiver, bytes + at, count - at);
        while (oneway_next(receiver, &message)) {
            oneway_arrived(&message);
        }
    }
    if (receiver->dropped != dropped) {
        oneway_was_wrong();
    }
}

static size_t payload_bytes(void) {
    uint32_t wanted = setting_payload_bytes;
    return wanted < ONEWAY_LEAST_BYTES ? ONEWAY_LEAST_BYTES : wanted > ONEWAY_MOST_BYTES ? ONEWAY_MOST_BYTES : wanted;
}

static uint8_t next_message[ONEWAY_MOST_BYTES] __attribute__((aligned(4)));
static bool is_made;

static void make_next(void) {
    oneway_write(next_message, payload_bytes(), counts.sent);
    is_made = true;
}

static void send_next(void) {
    served++;
    if (way->send(next_message, payload_bytes())) {
        note(&counts.sent);
        is_made = false;
    } else {
        note(&counts.unsent);
    }
}

/* How long nothing is to be done, `wait_ms` at most. The next message is made when the one before has left and not
 * when its pulse comes, as far as there is time between. */
static uint32_t send_if_asked(uint32_t wait_ms) {
    if (!is_made) {
        make_next();
    }
    if (served != pulses) {
        send_next();
    }
    if (served != pulses) {
        return 0;
    }
    return is_made ? wait_ms : MAKE_AFTER_MS;
}

static void tell(void) {
    if (setting_role == ROLE_SENDER) {
        console_named("sent", counts.sent);
        console_named("not sent for want of room or of a connection", counts.unsent);
    } else {
        console_named("received", counts.received);
        console_named("wrong", counts.wrong);
        console_named("out of order", counts.reordered);
    }
    counts.has_news = false;
}

/* How long the done pin, which rose with the last message, stays high yet; without end where it is low. */
static uint32_t lower_done(void) {
    uint32_t high_ms = clock_ms() - counts.last_ms;
    if (is_done_high && high_ms < DONE_HIGH_MS) {
        return DONE_HIGH_MS - high_ms;
    }
    if (is_done_high) {
        put_done(false);
    }
    return NETWORK_NEVER;
}

static uint32_t tick(uint32_t now_ms) {
    if (!way) {
        return NETWORK_NEVER;
    }
    uint32_t wait_ms = way->tick ? way->tick(now_ms) : SILENCE_MS;
    if (setting_role == ROLE_SENDER) {
        wait_ms = send_if_asked(wait_ms);
    } else {
        uint32_t high_ms = lower_done();
        wait_ms = high_ms < wait_ms ? high_ms : wait_ms;
    }
    /* Since `now_ms` a message may have been sent. */
    if (counts.has_news && clock_ms() - counts.last_ms >= SILENCE_MS) {
        tell();
    }
    return wait_ms < SILENCE_MS ? wait_ms : SILENCE_MS;
}

static void start(void) {
    if (setting_transport >= sizeof ways / sizeof *ways) {
        console_text("error: the setting `transport` is 0 for TCP, 1 for UDP, 2 for the UART\n");
        return;
    }
    way = ways[setting_transport];
    if (!way->start(setting_role == ROLE_SENDER)) {
        console_text("error: there is no room for the socket\n");
    }
    if (setting_role == ROLE_SENDER) {
        gpio_input(setting_trigger_pin, GPIO_PULLED_DOWN);
        if (!gpio_on(setting_trigger_pin, GPIO_RISING, pulse)) {
            console_text("error: nothing can be told of the trigger pin's pulses\n");
        }
    } else {
        gpio_output(setting_done_pin, false);
    }
    network_call_soon();
}

const struct application application = {"One-way latency agent", start, tick};

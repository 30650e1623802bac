/* Messages over the second UART. Its ring is looked at all the time, as nothing else tells when a byte is there. */
#include "clock.h"
#include "oneway.h"
#include "settings.h"
#include "uart.h"

SETTING(uart_baud, 115200, "baud 300..3900000", "the rate of the UART that carries messages");

/* A message goes without a gap: what is silent for so many bytes' time, and 2 ms at least, does not go on. */
#define SILENCE_BYTES 20u
#define BITS_OF_A_BYTE 10u
#define LEAST_SILENCE_US 2000u

static struct oneway_receiver receiver;
static uint32_t last_us, silence_us;

static bool start(bool is_sender) {
    uint32_t baud = setting_uart_baud ? setting_uart_baud : 1;
    (void)is_sender;
    uart_start(baud);
    silence_us = SILENCE_BYTES * BITS_OF_A_BYTE * 1000000u / baud;
    silence_us = silence_us < LEAST_SILENCE_US ? LEAST_SILENCE_US : silence_us;
    return true;
}

/* The ring holds more than one message: what does not fit while one goes out is told as not sent, and the rest of it
 * would be no message, which the receiver drops. */
static bool send(const uint8_t *bytes, size_t count) { return uart_write(bytes, count) == count; }

static uint32_t tick(uint32_t now_ms) {
    uint8_t bytes[64];
    (void)now_ms;
    size_t count = uart_read(bytes, sizeof bytes);
    if (count) {
        if (!receiver.count) {
            oneway_began();
        }
        oneway_came(&receiver, bytes, count);
        last_us = clock_us();
    } else if (receiver.count && clock_is_over(last_us, silence_us)) {
        struct oneway_message message;
        oneway_give_up(&receiver);
        oneway_was_wrong();
        while (oneway_next(&receiver, &message)) {
            oneway_arrived(&message);
        }
    }
    return 0;
}

const struct way way_uart = {start, send, tick};

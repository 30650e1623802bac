/* What both ping-pong clients do with their messages: decimal numbers, at most one on its way. */
#ifndef PINGPONG_H
#define PINGPONG_H

#include "text.h"
#include "wiznet.h"

#define SOCKET 0u
#define OWN_PORT 50000u
#define LIMIT_US 40000000u
#define MESSAGE_BYTES 16u

static inline void send_number(uint32_t number) {
    char text[MESSAGE_BYTES];
    socket_put(SOCKET, text, (uint32_t)(append_decimal(text, number) - text));
    socket_command(SOCKET, CR_SEND);
}

/* How many bytes came. Sleeps until INTn where the image uses interrupts, and so long between looks at the chip. */
static inline uint32_t wait_for_answer(int uses_interrupts, uint32_t poll_ms) {
    uint32_t from = time_us();
    while (time_us() - from < LIMIT_US) {
        if (uses_interrupts) {
            wiznet_sleep(LIMIT_US);
            socket_take_interrupts(SOCKET);
        }
        uint32_t count = socket_received(SOCKET);
        if (count) {
            return count;
        }
        if (poll_ms) {
            wiznet_sleep(poll_ms * 1000u);
        }
        if (read8(Sn_SR(SOCKET)) != SR_ESTABLISHED) {
            give_up("the connection ended");
        }
    }
    give_up("no answer");
}

static inline uint32_t read_answer(int uses_interrupts, uint32_t poll_ms) {
    char text[MESSAGE_BYTES];
    uint32_t count = wait_for_answer(uses_interrupts, poll_ms), value = 0;
    count = count < sizeof text ? count : sizeof text;
    socket_get(SOCKET, text, count);
    socket_command(SOCKET, CR_RECV);
    for (uint32_t index = 0; index < count; index++) {
        value = value * 10 + (uint32_t)(text[index] - '0');
    }
    return value;
}

/* Opens the socket and waits until the server has taken the connection. */
static inline void connect_to(uint32_t address, uint16_t port, int uses_interrupts) {
    if (uses_interrupts) {
        wiznet_interrupts_start();
        write8(Sn_IMR(SOCKET), IR_RECV | IR_DISCON | IR_TIMEOUT);
    }
    if (socket_open(SOCKET, MR_TCP, OWN_PORT) != SR_INIT) {
        give_up("the socket does not open");
    }
    socket_connect(SOCKET, address, port);
    for (uint8_t state; (state = read8(Sn_SR(SOCKET))) != SR_ESTABLISHED;) {
        if (state == SR_CLOSED) {
            give_up("no connection");
        }
    }
}

#endif

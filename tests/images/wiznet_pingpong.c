/* The client of the counting ping-pong: sends a decimal number over TCP, the server answers with the number plus one,
 * and that plus one is the next number. INTERRUPTS: sleeps until INTn instead of asking Sn_RX_RSR all the time. */
#include "text.h"
#include "wiznet.h"

#ifndef INTERRUPTS
#define INTERRUPTS 0
#endif
#ifndef ROUNDS
#define ROUNDS 1000u
#endif
#define SOCKET 0u
#define SERVER_PORT 5000u
#define OWN_PORT 50000u
#define LIMIT_US 40000000u
#define MESSAGE_BYTES 16u

static void wait_until_connected(void) {
    for (;;) {
        switch (read8(Sn_SR(SOCKET))) {
        case SR_ESTABLISHED:
            return;
        case SR_CLOSED:
            give_up("no connection");
        }
    }
}

/* Returns how many bytes came. */
static uint32_t wait_for_answer(void) {
    uint32_t from = time_us();
    while (time_us() - from < LIMIT_US) {
        if (INTERRUPTS) {
            wiznet_sleep(LIMIT_US);
            socket_take_interrupts(SOCKET);
        }
        uint32_t count = socket_received(SOCKET);
        if (count) {
            return count;
        }
        if (read8(Sn_SR(SOCKET)) != SR_ESTABLISHED) {
            give_up("the connection ended");
        }
    }
    give_up("no answer");
}

static uint32_t read_answer(void) {
    char text[MESSAGE_BYTES];
    uint32_t count = wait_for_answer(), value = 0;
    count = count < sizeof text ? count : sizeof text;
    socket_get(SOCKET, text, count);
    socket_command(SOCKET, CR_RECV);
    for (uint32_t index = 0; index < count; index++) {
        value = value * 10 + (uint32_t)(text[index] - '0');
    }
    return value;
}

static void send_number(uint32_t number) {
    char text[MESSAGE_BYTES];
    socket_put(SOCKET, text, (uint32_t)(append_decimal(text, number) - text));
    socket_command(SOCKET, CR_SEND);
}

int main(void) {
    wiznet_begin();
    if (INTERRUPTS) {
        wiznet_interrupts_start();
        write8(Sn_IMR(SOCKET), IR_RECV | IR_DISCON | IR_TIMEOUT);
    }
    if (socket_open(SOCKET, MR_TCP, OWN_PORT) != SR_INIT) {
        give_up("the socket does not open");
    }
    socket_connect(SOCKET, PC_ADDRESS, SERVER_PORT);
    wait_until_connected();
    put_text("connected\n");
    uint32_t errors = 0, number = 1, shortest = ~0u, longest = 0, began = time_us();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t from = time_us();
        send_number(number);
        uint32_t answer = read_answer();
        uint32_t taken = time_us() - from;
        shortest = taken < shortest ? taken : shortest;
        longest = taken > longest ? taken : longest;
        errors += answer != number + 1;
        number = answer + 1;
    }
    uint32_t whole = time_us() - began;
    put_named("messages", ROUNDS);
    put_named("errors", errors);
    put_named("last number", number);
    put_named("~ microseconds per message", whole / ROUNDS);
    put_named("~ shortest", shortest);
    put_named("~ longest", longest);
    socket_command(SOCKET, CR_DISCON);
    wiznet_finish();
}

/* The client of the counting ping-pong: sends a decimal number over TCP, the server answers with the number plus one,
 * and that plus one is the next number. INTERRUPTS: sleeps until INTn instead of asking Sn_RX_RSR all the time. */
#include "pingpong.h"

#ifndef INTERRUPTS
#define INTERRUPTS 0
#endif
#ifndef ROUNDS
#define ROUNDS 1000u
#endif
#define SERVER_PORT 5000u

int main(void) {
    wiznet_begin();
    connect_to(PC_ADDRESS, SERVER_PORT, INTERRUPTS);
    put_text("connected\n");
    uint32_t errors = 0, number = 1, shortest = ~0u, longest = 0, began = time_us();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t from = time_us();
        send_number(number);
        uint32_t answer = read_answer(INTERRUPTS, 0);
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

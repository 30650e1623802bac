/* Connects without asking for the link, again and again until it succeeds. It waits as many drivers do: connected, timed
 * out (Sn_IR) and closed (Sn_SR) are asked for one after the other, and which of the last two it sees first decides the
 * error that it reports: -13 or -4. */
#include "wiznet.h"

#define SOCKET 0u
#define SERVER_PORT 5000u
#define OWN_PORT 50000u
#define MOST_ATTEMPTS 10u

enum outcome { CONNECTED, TIMED_OUT, FOUND_CLOSED };

static enum outcome wait_for_connection(void) {
    while (read8(Sn_SR(SOCKET)) != SR_ESTABLISHED) {
        if (read8(Sn_IR(SOCKET)) & IR_TIMEOUT) {
            write8(Sn_IR(SOCKET), IR_TIMEOUT);
            return TIMED_OUT;
        }
        if (read8(Sn_SR(SOCKET)) == SR_CLOSED) {
            return FOUND_CLOSED;
        }
    }
    return CONNECTED;
}

static enum outcome attempt(uint32_t number) {
    static const char *const outcomes[] = {"connected", "Sn_IR TIMEOUT, error -13", "Sn_SR CLOSED, error -4"};
    socket_open(SOCKET, MR_TCP, (uint16_t)(OWN_PORT + number));
    put_text(read8(PHY) & PHY_LINK ? "link: up, " : "link: down, ");
    uint32_t from = time_us();
    socket_connect(SOCKET, PC_ADDRESS, SERVER_PORT);
    enum outcome outcome = wait_for_connection();
    uint32_t taken = time_us() - from;
    put_text(outcomes[outcome]);
    put_char('\n');
    put_named("~ milliseconds", taken / 1000);
    return outcome;
}

int main(void) {
    wiznet_start();
    wiznet_set_addresses();
    uint32_t number = 0;
    while (attempt(number) != CONNECTED) {
        if (++number == MOST_ATTEMPTS) {
            give_up("never connected");
        }
    }
    put_named("failures", number);
    socket_command(SOCKET, CR_DISCON);
    wiznet_finish();
}

/* A line of 13 bytes to the PC's discard service (RFC 863) every PERIOD_US, over TCP, for ever. */
#include "wiznet.h"

#ifndef PERIOD_US
#define PERIOD_US 125000u
#endif
#define SOCKET 0u
#define DISCARD_PORT 9u
#define OWN_PORT 50000u

static const char line[] = "t = 21.5 C\r\n\n";

int main(void) {
    wiznet_begin();
    if (socket_open(SOCKET, MR_TCP, OWN_PORT) != SR_INIT) {
        give_up("the socket does not open");
    }
    socket_connect(SOCKET, PC_ADDRESS, DISCARD_PORT);
    while (read8(Sn_SR(SOCKET)) != SR_ESTABLISHED) {
        if (read8(Sn_IR(SOCKET)) & IR_TIMEOUT) {
            give_up("no connection");
        }
    }
    uint32_t due = time_us();
    for (;;) {
        if (read8(Sn_SR(SOCKET)) != SR_ESTABLISHED) {
            give_up("the connection ended");
        }
        socket_put(SOCKET, line, sizeof line - 1);
        socket_command(SOCKET, CR_SEND);
        due += PERIOD_US;
        while ((int32_t)(due - time_us()) > 0) {
        }
    }
}

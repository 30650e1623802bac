/* The chip's UDP socket as a server: each datagram goes back to whom it came from, for ever, unless it is to send nothing. */
#include "wiznet.h"

#ifndef PORT
#define PORT 7u
#endif
/* Whether what comes goes back. */
#ifndef ANSWERS
#define ANSWERS 1
#endif
#define SOCKET 0u
#define MOST_BYTES 512u
/* The address, the port and the length that stand before a datagram in the RX buffer (W5500 datasheet 5.2.2). */
#define HEADER_BYTES 8u

static uint8_t header[HEADER_BYTES], content[MOST_BYTES];

static void send_back(uint32_t bytes) {
    write32(Sn_DIPR(SOCKET), (uint32_t)header[0] << 24 | (uint32_t)header[1] << 16 | (uint32_t)header[2] << 8 | header[3]);
    write16(Sn_DPORT(SOCKET), (uint16_t)(header[4] << 8 | header[5]));
    socket_put(SOCKET, content, bytes);
    socket_command(SOCKET, CR_SEND);
    while (!(read8(Sn_IR(SOCKET)) & (IR_SENDOK | IR_TIMEOUT))) {
    }
    write8(Sn_IR(SOCKET), IR_SENDOK | IR_TIMEOUT);
}

int main(void) {
    wiznet_begin();
    if (socket_open(SOCKET, MR_UDP, PORT) != SR_UDP) {
        give_up("the socket does not open");
    }
    for (;;) {
        if (socket_received(SOCKET) <= HEADER_BYTES) {
            continue;
        }
        socket_get(SOCKET, header, HEADER_BYTES);
        uint32_t bytes = (uint32_t)(header[6] << 8 | header[7]);
        if (bytes > MOST_BYTES) {
            give_up("a datagram is longer than expected");
        }
        socket_get(SOCKET, content, bytes);
        socket_command(SOCKET, CR_RECV);
        if (ANSWERS) {
            send_back(bytes);
        }
    }
}

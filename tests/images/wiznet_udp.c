/* One datagram to the echo service of the PC (RFC 862) and back, by whichever bus the image is built with. */
#include "wiznet.h"

#define SOCKET 0u
#define ECHO_PORT 7u
#define OWN_PORT 50007u
#define DATA_BYTES 64u
/* The address, the port and the length that stand before a datagram in the RX buffer (W5500 datasheet 5.2.2). */
#define HEADER_BYTES 8u
#define LIMIT_US 3000000u

static uint8_t sent[DATA_BYTES], received[HEADER_BYTES + DATA_BYTES];

/* Waits for bits of Sn_IR. */
static void wait_for(uint8_t wanted, const char *why) {
    uint32_t from = time_us();
    while (!(read8(Sn_IR(SOCKET)) & wanted)) {
        if (read8(Sn_IR(SOCKET)) & IR_TIMEOUT || time_us() - from > LIMIT_US) {
            give_up(why);
        }
    }
    write8(Sn_IR(SOCKET), wanted);
}

static uint32_t differences(void) {
    uint32_t count = 0;
    for (uint32_t index = 0; index < DATA_BYTES; index++) {
        count += sent[index] != received[HEADER_BYTES + index];
    }
    return count;
}

int main(void) {
    wiznet_begin();
    for (uint32_t index = 0; index < DATA_BYTES; index++) {
        sent[index] = (uint8_t)(index * 37u + 11u);
    }
    if (socket_open(SOCKET, MR_UDP, OWN_PORT) != SR_UDP) {
        give_up("the socket does not open");
    }
    write32(Sn_DIPR(SOCKET), PC_ADDRESS);
    write16(Sn_DPORT(SOCKET), ECHO_PORT);
    uint32_t from = time_us();
    socket_put(SOCKET, sent, DATA_BYTES);
    socket_command(SOCKET, CR_SEND);
    wait_for(IR_SENDOK, "nobody has the PC's address");
    wait_for(IR_RECV, "no echo came back");
    uint32_t waiting = socket_received(SOCKET);
    socket_get(SOCKET, received, sizeof received);
    socket_command(SOCKET, CR_RECV);
    uint32_t taken = time_us() - from;
    put_named("~ microseconds", taken);
    put_named("bytes in the RX buffer", waiting);
    put_named("from port", (uint32_t)(received[4] << 8 | received[5]));
    put_named("length", (uint32_t)(received[6] << 8 | received[7]));
    put_named("bytes that differ", differences());
    wiznet_finish();
}

/* TCP at full speed by SPI and DMA: as many bytes as BYTES to the PC's discard service, then as many from its character
 * generator (RFC 863, RFC 864), each through a socket with all of the chip's memory. */
#include "wiznet.h"

#ifndef BYTES
#define BYTES (4u << 20)
#endif
#define SOCKET 0u
#define DISCARD_PORT 9u
#define CHARGEN_PORT 19u
#define OWN_PORT 50000u

static uint8_t block[CHIP_MEMORY_KIB * 1024u / 2u];

static void connect(uint16_t own_port, uint16_t port) {
    if (socket_open(SOCKET, MR_TCP, own_port) != SR_INIT) {
        give_up("the socket does not open");
    }
    socket_connect(SOCKET, PC_ADDRESS, port);
    for (uint8_t status = 0; status != SR_ESTABLISHED; status = read8(Sn_SR(SOCKET))) {
        if (read8(Sn_IR(SOCKET)) & IR_TIMEOUT) {
            give_up("no connection");
        }
    }
}

static void check_connection(void) {
    if (read8(Sn_SR(SOCKET)) != SR_ESTABLISHED) {
        give_up("the connection ended");
    }
}

/* While one half of the buffer is on the wire the other is filled. */
static void source(void) {
    int sending = 0;
    for (uint32_t left = BYTES; left;) {
        uint32_t count = left < sizeof block ? left : sizeof block;
        while (socket_room(SOCKET) < count) {
            check_connection();
        }
        socket_put(SOCKET, block, count);
        while (sending && !(read8(Sn_IR(SOCKET)) & IR_SENDOK)) {
            check_connection();
        }
        write8(Sn_IR(SOCKET), IR_SENDOK);
        socket_command(SOCKET, CR_SEND);
        sending = 1;
        left -= count;
    }
    while (!(read8(Sn_IR(SOCKET)) & IR_SENDOK)) {
        check_connection();
    }
}

/* Bytes that are not printable, where there should be none; of each block the first few are looked at. */
static uint32_t strange_bytes(void) {
    uint32_t count = 0;
    for (uint32_t index = 0; index < 16; index++) {
        count += (block[index] < ' ' || block[index] > '~') && block[index] != '\r' && block[index] != '\n';
    }
    return count;
}

static uint32_t sink(void) {
    uint32_t errors = 0;
    for (uint32_t left = BYTES; left;) {
        uint32_t count = socket_received(SOCKET);
        if (!count) {
            check_connection();
            continue;
        }
        count = count < sizeof block ? count : sizeof block;
        count = count < left ? count : left;
        socket_get(SOCKET, block, count);
        socket_command(SOCKET, CR_RECV);
        errors += count >= 16 ? strange_bytes() : 0;
        left -= count;
    }
    return errors;
}

static void tell(const char *what, uint32_t taken_us) {
    put_named(what, BYTES);
    put_named("~ kbit/s", (uint32_t)((uint64_t)BYTES * 8000u / taken_us));
}

int main(void) {
    static const uint8_t kib[CHIP_SOCKETS] = {CHIP_MEMORY_KIB};
    wiznet_start();
    wiznet_set_buffers(kib);
    wiznet_set_addresses();
    wiznet_wait_for_link();
    for (uint32_t index = 0; index < sizeof block; index++) {
        block[index] = (uint8_t)('a' + index % 26u);
    }
    connect(OWN_PORT, DISCARD_PORT);
    uint32_t from = time_us();
    source();
    tell("bytes sent", time_us() - from);
    socket_command(SOCKET, CR_DISCON);
    connect(OWN_PORT + 1, CHARGEN_PORT);
    from = time_us();
    uint32_t errors = sink();
    tell("bytes received", time_us() - from);
    put_named("errors", errors);
    socket_command(SOCKET, CR_CLOSE);
    wiznet_finish();
}

/* Implementation of wiznet.h. */
#include "wiznet.h"

#define RESET_US 1000u       /* 500 us at least (W5500 datasheet 5.5.1, W5100S datasheet 6.4.1) */
#define READY_LIMIT_US 200000u
#define LINK_LIMIT_US 10000000u
#define LINK_POLL_US 10000u
#define COMMAND_LIMIT 100000u
#define LEVEL_LOW(pin) (1u << (4u * ((pin) % 8u)))

enum side { TRANSMIT, RECEIVE };
/* What was put behind Sn_TX_WR since the last SEND: until then the register reads as before. */
static uint16_t put_bytes[CHIP_SOCKETS];
#ifdef W5100S
static uint16_t buffer_bytes[CHIP_SOCKETS], buffer_base[CHIP_SOCKETS];
#endif

/* WFI ends for an interrupt that PRIMASK holds back. What is pending is cleared first and INTn looked at after that,
 * so that an interrupt in between ends the sleep before it begins. */
static void sleep(uint32_t limit_us, int until_interrupt) {
    uint32_t from = time_us();
    TIMER_ALARM0 = from + limit_us;
    while (time_us() - from < limit_us && !(until_interrupt && wiznet_interrupts())) {
        NVIC_ICPR = 1u << IO_IRQ_BANK0 | 1u << TIMER_IRQ_0;
        if (!(until_interrupt && wiznet_interrupts())) {
            wait_for_interrupt();
        }
    }
    TIMER_INTR = 1;
    NVIC_ICPR = 1u << TIMER_IRQ_0;
}

void wiznet_sleep(uint32_t limit_us) { sleep(limit_us, 1); }

_Noreturn void wiznet_finish(void) {
    NVIC_ICER = ~0u;
    finish();
}

_Noreturn void give_up(const char *why) {
    put_text("error: ");
    put_text(why);
    put_char('\n');
    wiznet_finish();
}

static void begin_access(uint32_t address, int write) {
#ifdef W5100S
    uint8_t header[3] = {write ? 0xf0 : 0x0f, (uint8_t)(address >> 8), (uint8_t)address};
#else
    uint8_t header[3] = {(uint8_t)(address >> 8), (uint8_t)address,
                         (uint8_t)(address >> 16 << 3 | (write ? 4u : 0u))};
#endif
    bus_select();
    bus_transfer(header, 0, 3);
}

static void read_bytes(uint32_t address, uint8_t *bytes, uint32_t count) {
    begin_access(address, 0);
    bus_transfer(0, bytes, count);
    bus_deselect();
}

static void write_bytes(uint32_t address, const uint8_t *bytes, uint32_t count) {
    begin_access(address, 1);
    bus_transfer(bytes, 0, count);
    bus_deselect();
}

uint8_t read8(uint32_t address) {
    uint8_t value;
    read_bytes(address, &value, 1);
    return value;
}

uint16_t read16(uint32_t address) {
    uint8_t value[2];
    read_bytes(address, value, 2);
    return (uint16_t)(value[0] << 8 | value[1]);
}

void write8(uint32_t address, uint8_t value) { write_bytes(address, &value, 1); }

void write16(uint32_t address, uint16_t value) {
    uint8_t bytes[2] = {(uint8_t)(value >> 8), (uint8_t)value};
    write_bytes(address, bytes, 2);
}

void write32(uint32_t address, uint32_t value) {
    uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    write_bytes(address, bytes, 4);
}

void wiznet_start(void) {
    console_start();
    pin_output(WIZNET_RSTN);
    pin_output(WIZNET_CSN);
    bus_deselect();
    pin_function(WIZNET_INTN, FUNCTION_SIO);
    interrupts_off();
    bus_start();
    TIMER_INTE = 1;
    interrupt_enable(TIMER_IRQ_0);
    sleep(RESET_US, 0);
    SIO_GPIO_OUT_SET = 1u << WIZNET_RSTN;
    uint32_t from = time_us();
    while (read8(VERSIONR) != CHIP_VERSION) {
        if (time_us() - from > READY_LIMIT_US) {
            give_up("no " CHIP_NAME " answers");
        }
    }
    uint32_t ready = time_us();
    put_text(CHIP_NAME " is there.\n");
    put_named("~ microseconds after reset", ready - from);
}

void wiznet_set_mac(void) {
    static const uint8_t mac[6] = OWN_MAC;
#ifdef NETLCKR
    write8(NETLCKR, NETLCKR_UNLOCK);
#endif
    write_bytes(SHAR, mac, 6);
}

void wiznet_set_addresses(void) {
    wiznet_set_mac();
    write32(GAR, (OWN_ADDRESS & 0xffffff00u) | 1u);
    write32(SUBR, 0xffffff00u);
    write32(SIPR, OWN_ADDRESS);
}

void wiznet_wait_for_link(void) {
    uint32_t from = time_us();
    while (!(read8(PHY) & PHY_LINK)) {
        if (time_us() - from > LINK_LIMIT_US) {
            give_up("no link within 10 s; is the cable plugged in?");
        }
        sleep(LINK_POLL_US, 0);
    }
    put_text("The link is up.\n");
    put_named("~ milliseconds of waiting", (time_us() - from) / 1000);
}

void wiznet_set_buffers(const uint8_t kib[CHIP_SOCKETS]) {
#ifdef W5100S
    uint16_t base = 0;
#endif
    for (uint32_t socket = 0; socket < CHIP_SOCKETS; socket++) {
#ifdef W5100S
        buffer_bytes[socket] = (uint16_t)(kib[socket] * 1024u);
        buffer_base[socket] = base;
        base += buffer_bytes[socket];
#endif
        write8(Sn_RXBUF_SIZE(socket), kib[socket]);
        write8(Sn_TXBUF_SIZE(socket), kib[socket]);
    }
}

void wiznet_begin(void) {
    uint8_t kib[CHIP_SOCKETS];
    for (uint32_t socket = 0; socket < CHIP_SOCKETS; socket++) {
        kib[socket] = CHIP_MEMORY_KIB / CHIP_SOCKETS;
    }
    wiznet_start();
    wiznet_set_buffers(kib);
    wiznet_set_addresses();
    wiznet_wait_for_link();
}

void wiznet_interrupts_start(void) {
    write8(SIMR, ALL_SOCKETS);
    IO_BANK0_PROC0_INTE(WIZNET_INTN) |= LEVEL_LOW(WIZNET_INTN);
    interrupt_enable(IO_IRQ_BANK0);
}

void socket_command(uint32_t socket, uint8_t command) {
    if (command == CR_SEND || command == CR_OPEN) {
        put_bytes[socket] = 0;
    }
    write8(Sn_CR(socket), command);
    for (uint32_t turn = 0; read8(Sn_CR(socket)); turn++) {
        if (turn == COMMAND_LIMIT) {
            give_up("a command is not taken");
        }
    }
}

uint8_t socket_open(uint32_t socket, uint8_t mode, uint16_t port) {
    socket_command(socket, CR_CLOSE);
    write8(Sn_IR(socket), 0xff);
    write8(Sn_MR(socket), mode);
    write16(Sn_PORT(socket), port);
    socket_command(socket, CR_OPEN);
    return read8(Sn_SR(socket));
}

void socket_connect(uint32_t socket, uint32_t address, uint16_t port) {
    write32(Sn_DIPR(socket), address);
    write16(Sn_DPORT(socket), port);
    socket_command(socket, CR_CONNECT);
}

uint8_t socket_take_interrupts(uint32_t socket) {
    uint8_t interrupts = read8(Sn_IR(socket));
    if (interrupts) {
        write8(Sn_IR(socket), interrupts);
    }
    return interrupts;
}

static uint16_t read_steady(uint32_t address) {
    uint16_t before, value = read16(address);
    do {
        before = value;
        value = read16(address);
    } while (value != before);
    return value;
}

uint16_t socket_room(uint32_t socket) { return (uint16_t)(read_steady(Sn_TX_FSR(socket)) - put_bytes[socket]); }

uint16_t socket_received(uint32_t socket) { return read_steady(Sn_RX_RSR(socket)); }

/* A piece of a socket's buffer; on the W5100S it ends where the buffer does, as a burst would run on into the next
 * socket's. The W5500 wraps by itself. */
static uint32_t locate(enum side side, uint32_t socket, uint16_t pointer, uint32_t *count) {
#ifdef W5100S
    uint32_t offset = pointer & (buffer_bytes[socket] - 1u);
    uint32_t left = buffer_bytes[socket] - offset;
    *count = *count < left ? *count : left;
    return (side == TRANSMIT ? TX_MEMORY(socket) : RX_MEMORY(socket)) + buffer_base[socket] + offset;
#else
    (void)count;
    return (side == TRANSMIT ? TX_MEMORY(socket) : RX_MEMORY(socket)) | pointer;
#endif
}

void socket_put(uint32_t socket, const void *bytes, uint32_t count) {
    uint16_t pointer = (uint16_t)(read16(Sn_TX_WR(socket)) + put_bytes[socket]);
    put_bytes[socket] = (uint16_t)(put_bytes[socket] + count);
    for (const uint8_t *from = bytes; count;) {
        uint32_t piece = count;
        uint32_t address = locate(TRANSMIT, socket, pointer, &piece);
        write_bytes(address, from, piece);
        from += piece;
        count -= piece;
        pointer = (uint16_t)(pointer + piece);
    }
    write16(Sn_TX_WR(socket), pointer);
}

void socket_get(uint32_t socket, void *bytes, uint32_t count) {
    uint16_t pointer = read16(Sn_RX_RD(socket));
    for (uint8_t *to = bytes; count;) {
        uint32_t piece = count;
        uint32_t address = locate(RECEIVE, socket, pointer, &piece);
        read_bytes(address, to, piece);
        to += piece;
        count -= piece;
        pointer = (uint16_t)(pointer + piece);
    }
    write16(Sn_RX_RD(socket), pointer);
}

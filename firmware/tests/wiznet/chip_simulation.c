/* Implementation of chip_simulation.h. */
#include "chip_simulation.h"

#include <string.h>

#include "board_simulation.h"

#if defined(BOARD_WIZNET_W5500)
enum { SOCKETS = 8, VERSION = 0x39, VERSION_VALUE = 4, PHY_PLACE = 0x2e, PHY_VALUE = 0xbf, SIR_PLACE = 0x17 };
#elif defined(BOARD_WIZNET_W5200)
enum { SOCKETS = 8, VERSION = 0x1f, VERSION_VALUE = 3, PHY_PLACE = 0x35, PHY_VALUE = 0x20, SIR_PLACE = 0x34 };
enum { SOCKET_PLACE = 0x4000, TX_PLACE = 0x8000, RX_PLACE = 0xc000 };
#elif defined(BOARD_WIZNET_W5100S)
enum { SOCKETS = 4, VERSION = 0x80, VERSION_VALUE = 0x51, PHY_PLACE = 0x3c, PHY_VALUE = 1, SIR_PLACE = 0x15 };
enum { SOCKET_PLACE = 0x400, TX_PLACE = 0x4000, RX_PLACE = 0x6000 };
#else
enum { SOCKETS = 4, VERSION = 0x80, VERSION_VALUE = 0, PHY_PLACE = 0x81, PHY_VALUE = 0, SIR_PLACE = 0x15 };
enum { SOCKET_PLACE = 0x400, TX_PLACE = 0x4000, RX_PLACE = 0x6000 };
#endif

enum {
    MR = 0,
    CR = 1,
    IR = 2,
    SR = 3,
    RXBUF = 0x1e,
    TXBUF = 0x1f,
    TX_FSR = 0x20,
    TX_WR = 0x24,
    RX_RSR = 0x26,
    RX_RD = 0x28
};
/* Pointers begin near their end, so that they wrap early. */
#define FIRST_POINTER 0xff80u
#define SENT_MOST_BYTES (1u << 20)

static uint8_t space[32][65536]; /* by block, which the W5500 alone has more than one of */
static struct {
    uint8_t sent[SENT_MOST_BYTES];
    size_t sent_count;
    uint16_t tx_read, rx_read, rx_write, rx_count;
    bool is_held;
} sockets[SOCKETS];
static struct {
    const uint8_t *bytes;
    size_t count;
    unsigned socket;
} during;
static bool holds;
static uint8_t refused; /* a command that the chip does not take; 0 for none */
unsigned chip_faults;

uint8_t *chip_common(unsigned offset) { return &space[0][offset]; }

uint8_t *chip_socket(unsigned socket, unsigned offset) {
#if defined(BOARD_WIZNET_W5500)
    return &space[4 * socket + 1][offset];
#else
    return &space[0][SOCKET_PLACE + 0x100 * socket + offset];
#endif
}

static uint16_t word(unsigned socket, unsigned offset) {
    const uint8_t *bytes = chip_socket(socket, offset);
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void set_word(unsigned socket, unsigned offset, uint16_t value) {
    chip_socket(socket, offset)[0] = (uint8_t)(value >> 8);
    chip_socket(socket, offset)[1] = (uint8_t)value;
}

unsigned chip_memory_kib(unsigned socket, bool is_transmit) {
#if defined(BOARD_WIZNET_W5500) || defined(BOARD_WIZNET_W5200)
    return *chip_socket(socket, is_transmit ? TXBUF : RXBUF);
#else
    return 1u << (*chip_common(is_transmit ? 0x1b : 0x1a) >> 2 * socket & 3u);
#endif
}

/* A byte of a socket's memory by its pointer. */
static uint8_t *memory(unsigned socket, bool is_transmit, uint16_t pointer) {
    unsigned offset = pointer % (chip_memory_kib(socket, is_transmit) * 1024u);
#if defined(BOARD_WIZNET_W5500)
    return &space[4 * socket + (is_transmit ? 2 : 3)][offset];
#else
    for (unsigned before = 0; before < socket; before++) {
        offset += chip_memory_kib(before, is_transmit) * 1024u;
    }
    return &space[0][(is_transmit ? TX_PLACE : RX_PLACE) + offset];
#endif
}

static void update_sizes(unsigned socket) {
    set_word(socket, RX_RSR, sockets[socket].rx_count);
    uint16_t unsent = (uint16_t)(word(socket, TX_WR) - sockets[socket].tx_read);
    set_word(socket, TX_FSR,
             (uint16_t)(chip_memory_kib(socket, true) * 1024u - (sockets[socket].is_held ? unsent : 0)));
}

static void finish_sending(unsigned socket) {
    uint16_t end = word(socket, TX_WR);
    for (; sockets[socket].tx_read != end; sockets[socket].tx_read++) {
        if (sockets[socket].sent_count < SENT_MOST_BYTES) {
            sockets[socket].sent[sockets[socket].sent_count++] = *memory(socket, true, sockets[socket].tx_read);
        }
    }
    sockets[socket].is_held = false;
    *chip_socket(socket, IR) |= 0x10;
}

static void open(unsigned socket) {
    static const uint8_t states[16] = {[1] = 0x13, [2] = 0x22, [4] = 0x42};
    *chip_socket(socket, SR) = states[*chip_socket(socket, MR) & 15];
    sockets[socket].tx_read = sockets[socket].rx_read = sockets[socket].rx_write = FIRST_POINTER;
    sockets[socket].rx_count = 0;
    set_word(socket, TX_WR, FIRST_POINTER);
    set_word(socket, RX_RD, FIRST_POINTER);
}

static void command(unsigned socket, uint8_t code) {
    uint8_t *state = chip_socket(socket, SR);
    switch (code) {
    case 0x01:
        open(socket);
        break;
    case 0x02:
        *state = 0x14;
        break;
    case 0x04:
        *state = 0x17;
        *chip_socket(socket, IR) |= 1;
        break;
    case 0x08:
    case 0x10:
        *state = 0;
        break;
    case 0x20:
        sockets[socket].is_held = holds;
        if (!holds) {
            finish_sending(socket);
        }
        break;
    case 0x40:
        sockets[socket].rx_count =
            (uint16_t)(sockets[socket].rx_count - (uint16_t)(word(socket, RX_RD) - sockets[socket].rx_read));
        sockets[socket].rx_read = word(socket, RX_RD);
        break;
    default:
        chip_faults++;
    }
}

/* The socket of a register's place; -1 for other places. */
static int socket_at(unsigned block, unsigned place, unsigned *offset) {
#if defined(BOARD_WIZNET_W5500)
    *offset = place;
    return block % 4 == 1 ? (int)(block / 4) : -1;
#else
    *offset = place & 0xffu;
    bool is_there = !block && place >= SOCKET_PLACE && place < SOCKET_PLACE + 0x100u * SOCKETS;
    return is_there ? (int)((place - SOCKET_PLACE) / 0x100u) : -1;
#endif
}

static void write_byte(unsigned block, unsigned place, uint8_t value) {
    unsigned offset;
    int socket = socket_at(block, place, &offset);
    if (socket < 0) {
        space[block][place] = value;
    } else if (offset == CR && value == refused) {
        space[block][place] = value;
    } else if (offset == CR) {
        space[block][place] = 0;
        command((unsigned)socket, value);
    } else if (offset == IR) {
        *chip_socket((unsigned)socket, IR) &= (uint8_t)~value;
    } else if (offset == SR || (offset >= TX_FSR && offset < TX_WR) || offset == RX_RSR || offset == RX_RSR + 1) {
        chip_faults++;
    } else {
        space[block][place] = value;
    }
}

static uint8_t read_byte(unsigned block, unsigned place) {
    unsigned offset;
    int socket = socket_at(block, place, &offset);
    if (socket >= 0) {
        update_sizes((unsigned)socket);
        uint8_t value = space[block][place];
        if (offset == RX_RSR && during.bytes && (unsigned)socket == during.socket) {
            const uint8_t *bytes = during.bytes;
            during.bytes = NULL;
            chip_receive(during.socket, bytes, during.count);
        }
        return value;
    }
    if (!block && place == SIR_PLACE) {
        uint8_t standing = 0;
        for (unsigned n = 0; n < SOCKETS; n++) {
            standing |= (uint8_t)(*chip_socket(n, IR) ? 1u << n : 0);
        }
        return standing;
    }
    return space[block][place];
}

/* SPI frames, each as its datasheet has them. */
static uint8_t exchange(unsigned at, uint8_t out) {
    static unsigned address, block, is_write;
#if defined(BOARD_WIZNET_W5500)
    enum { HEAD = 3 };
    if (at < 2) {
        address = at ? address << 8 | out : out;
    } else if (at == 2) {
        block = out >> 3;
        is_write = out >> 2 & 1u;
        chip_faults += out & 3u ? 1 : 0;
    }
#elif defined(BOARD_WIZNET_W5200)
    enum { HEAD = 4 };
    static unsigned length;
    if (at < 2) {
        address = at ? address << 8 | out : out;
    } else if (at == 2) {
        is_write = out >> 7;
        length = out & 0x7fu;
    } else if (at == 3) {
        length = length << 8 | out;
    } else if (at >= HEAD + length) {
        chip_faults++;
    }
#else
    enum { HEAD = 3 };
    if (at == 0) {
        is_write = out == 0xf0;
        chip_faults += out == 0xf0 || out == 0x0f ? 0 : 1;
    } else if (at < 3) {
        address = at == 2 ? address << 8 | out : out;
    }
#if defined(BOARD_WIZNET_W5100)
    chip_faults += at > HEAD ? 1 : 0; /* a byte a transaction */
#endif
#endif
    if (at < HEAD) {
        return (uint8_t)at;
    }
    unsigned place = (address + at - HEAD) & 0xffffu;
#if defined(BOARD_WIZNET_W5500)
    if (block % 4 >= 2) {
        place %= chip_memory_kib(block / 4, block % 4 == 2) * 1024u;
    }
#endif
    if (is_write) {
        write_byte(block, place, out);
        return 0;
    }
    return read_byte(block, place);
}

void chip_begin(void) {
    memset(space, 0, sizeof space);
    memset(sockets, 0, sizeof sockets);
    during.bytes = NULL;
    holds = false;
    refused = 0;
    chip_faults = 0;
    *chip_common(VERSION) = VERSION_VALUE;
    *chip_common(PHY_PLACE) = PHY_VALUE;
    *chip_common(0x1a) = *chip_common(0x1b) = 0x55;
    for (unsigned n = 0; n < SOCKETS; n++) {
        *chip_socket(n, RXBUF) = *chip_socket(n, TXBUF) = 2;
    }
    board_begin(exchange, NULL);
}

const uint8_t *chip_sent(unsigned socket, size_t *count) {
    *count = sockets[socket].sent_count;
    return sockets[socket].sent;
}

void chip_forget_sent(unsigned socket) { sockets[socket].sent_count = 0; }

bool chip_receive(unsigned socket, const uint8_t *bytes, size_t count) {
    if (sockets[socket].rx_count + count > chip_memory_kib(socket, false) * 1024u) {
        return false;
    }
    for (size_t at = 0; at < count; at++) {
        *memory(socket, false, sockets[socket].rx_write++) = bytes[at];
    }
    sockets[socket].rx_count = (uint16_t)(sockets[socket].rx_count + count);
    *chip_socket(socket, IR) |= 4;
    update_sizes(socket);
    return true;
}

void chip_receive_during_reading(unsigned socket, const uint8_t *bytes, size_t count) {
    during.bytes = bytes;
    during.count = count;
    during.socket = socket;
}

void chip_accept(unsigned socket) {
    *chip_socket(socket, SR) = 0x17;
    *chip_socket(socket, IR) |= 1;
}

void chip_peer_ends(unsigned socket) {
    *chip_socket(socket, SR) = 0x1c;
    *chip_socket(socket, IR) |= 2;
}

void chip_refuse(uint8_t code) { refused = code; }

void chip_hold_sending(bool is_held) {
    holds = is_held;
    for (unsigned n = 0; !is_held && n < SOCKETS; n++) {
        if (sockets[n].is_held) {
            finish_sending(n);
        }
    }
}

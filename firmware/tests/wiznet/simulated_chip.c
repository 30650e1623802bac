/* Implementation of simulated_chip.h. */
#include "simulated_chip.h"

#include <string.h>

/* Where its registers and memories are. A place that no chip has is beyond all others. */
#define NOWHERE 0xffffu
struct simulated_kind {
    unsigned sockets, socket_place, tx_place, rx_place;
    unsigned version_place, version, phy_place, phy, phy_link, sir_place;
    unsigned header_bytes, memory_kib;
    bool has_blocks, has_counts, has_sizes_of_sockets, is_byte_by_byte, is_w6100;
};

const struct simulated_kind simulated_w5500 = {
    .sockets = 8,
    .version_place = 0x39,
    .version = 4,
    .phy_place = 0x2e,
    .phy = 0xbf,
    .phy_link = 1,
    .sir_place = 0x17,
    .header_bytes = 3,
    .memory_kib = 16,
    .has_blocks = true,
    .has_sizes_of_sockets = true,
};
const struct simulated_kind simulated_w6100 = {
    .sockets = 8,
    .version_place = 0x0002,
    .version = 0x46,
    .phy_place = 0x3000,
    .phy = 1,
    .phy_link = 1,
    .sir_place = 0x2101,
    .header_bytes = 3,
    .memory_kib = 16,
    .has_blocks = true,
    .has_sizes_of_sockets = true,
    .is_w6100 = true,
};
const struct simulated_kind simulated_w5200 = {
    .sockets = 8,
    .socket_place = 0x4000,
    .tx_place = 0x8000,
    .rx_place = 0xc000,
    .version_place = 0x1f,
    .version = 3,
    .phy_place = 0x35,
    .phy = 0x20,
    .phy_link = 0x20,
    .sir_place = 0x34,
    .header_bytes = 4,
    .memory_kib = 16,
    .has_counts = true,
    .has_sizes_of_sockets = true,
};
const struct simulated_kind simulated_w5100s = {
    .sockets = 4,
    .socket_place = 0x400,
    .tx_place = 0x4000,
    .rx_place = 0x6000,
    .version_place = 0x80,
    .version = 0x51,
    .phy_place = 0x3c,
    .phy = 1,
    .phy_link = 1,
    .sir_place = 0x15,
    .header_bytes = 3,
    .memory_kib = 8,
};
const struct simulated_kind simulated_w5100 = {
    .sockets = 4,
    .socket_place = 0x400,
    .tx_place = 0x4000,
    .rx_place = 0x6000,
    .version_place = NOWHERE,
    .phy_place = NOWHERE,
    .sir_place = 0x15,
    .header_bytes = 3,
    .memory_kib = 8,
    .is_byte_by_byte = true,
};

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
/* Where the W6100 has what the other chips have elsewhere; beyond the registers it clears Sn_IR at a place of its own.
 */
#define CLEAR_IR 0x30
struct moved {
    uint16_t from, bytes, to;
};
static const struct moved moved_common[] = {{0x01, 4, 0x4130}, {0x05, 4, 0x4134}, {0x09, 6, 0x4120}, {0x0f, 4, 0x4138}};
static const struct moved moved_of_socket[] = {
    {MR, 1, 0x000},     {CR, 1, 0x010},    {IR, 1, 0x020},     {CLEAR_IR, 1, 0x028}, {SR, 1, 0x030},
    {0x04, 2, 0x114},   {0x0c, 4, 0x120},  {0x10, 2, 0x140},   {RXBUF, 1, 0x220},    {TXBUF, 1, 0x200},
    {TX_FSR, 2, 0x204}, {TX_WR, 2, 0x20c}, {RX_RSR, 2, 0x224}, {RX_RD, 2, 0x228},    {0x2c, 1, 0x024}};
#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static unsigned there(const struct moved *table, size_t count, unsigned offset) {
    for (size_t line = 0; line < count; line++) {
        if (offset >= table[line].from && offset < table[line].from + table[line].bytes) {
            return table[line].to + (offset - table[line].from);
        }
    }
    return offset;
}

static unsigned back(const struct moved *table, size_t count, unsigned place) {
    for (size_t line = 0; line < count; line++) {
        if (place >= table[line].to && place < (unsigned)table[line].to + table[line].bytes) {
            return table[line].from + (place - table[line].to);
        }
    }
    return NOWHERE;
}

/* NETLCKR, and what frees the addresses. */
#define LOCK_PLACE 0x41f5
#define LOCK_KEY 0x3a
/* Pointers begin near their end, so that they wrap early. */
#define FIRST_POINTER 0xff80u
uint8_t *chip_common(struct simulated_chip *chip, unsigned offset) {
    return &chip->space[0][chip->kind->is_w6100 ? there(moved_common, COUNT(moved_common), offset) : offset];
}

uint8_t *chip_socket(struct simulated_chip *chip, unsigned socket, unsigned offset) {
    if (chip->kind->is_w6100) {
        offset = there(moved_of_socket, COUNT(moved_of_socket), offset);
    }
    if (chip->kind->has_blocks) {
        return &chip->space[4 * socket + 1][offset];
    }
    return &chip->space[0][chip->kind->socket_place + 0x100 * socket + offset];
}

static uint16_t word(struct simulated_chip *chip, unsigned socket, unsigned offset) {
    const uint8_t *bytes = chip_socket(chip, socket, offset);
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void set_word(struct simulated_chip *chip, unsigned socket, unsigned offset, uint16_t value) {
    chip_socket(chip, socket, offset)[0] = (uint8_t)(value >> 8);
    chip_socket(chip, socket, offset)[1] = (uint8_t)value;
}

unsigned chip_memory_kib(struct simulated_chip *chip, unsigned socket, bool is_transmit) {
    if (chip->kind->has_sizes_of_sockets) {
        return *chip_socket(chip, socket, is_transmit ? TXBUF : RXBUF);
    }
    return 1u << (*chip_common(chip, is_transmit ? 0x1b : 0x1a) >> 2 * socket & 3u);
}

/* A byte of a socket's memory by its pointer. */
static uint8_t *memory(struct simulated_chip *chip, unsigned socket, bool is_transmit, uint16_t pointer) {
    unsigned offset = pointer % (chip_memory_kib(chip, socket, is_transmit) * 1024u);
    if (chip->kind->has_blocks) {
        return &chip->space[4 * socket + (is_transmit ? 2 : 3)][offset];
    }
    for (unsigned before = 0; before < socket; before++) {
        offset += chip_memory_kib(chip, before, is_transmit) * 1024u;
    }
    return &chip->space[0][(is_transmit ? chip->kind->tx_place : chip->kind->rx_place) + offset];
}

static void update_sizes(struct simulated_chip *chip, unsigned socket) {
    set_word(chip, socket, RX_RSR, chip->sockets[socket].rx_count);
    uint16_t unsent = (uint16_t)(word(chip, socket, TX_WR) - chip->sockets[socket].tx_read);
    set_word(chip, socket, TX_FSR,
             (uint16_t)(chip_memory_kib(chip, socket, true) * 1024u - (chip->sockets[socket].is_held ? unsent : 0)));
}

static void finish_sending(struct simulated_chip *chip, unsigned socket) {
    uint16_t end = word(chip, socket, TX_WR);
    for (; chip->sockets[socket].tx_read != end; chip->sockets[socket].tx_read++) {
        if (chip->sockets[socket].sent_count < SENT_MOST_BYTES) {
            chip->sockets[socket].sent[chip->sockets[socket].sent_count++] =
                *memory(chip, socket, true, chip->sockets[socket].tx_read);
        }
    }
    chip->sockets[socket].is_held = false;
    *chip_socket(chip, socket, IR) |= 0x10;
}

static void open(struct simulated_chip *chip, unsigned socket) {
    static const uint8_t states[16] = {[1] = 0x13, [2] = 0x22, [4] = 0x42},
                         of_w6100[16] = {[1] = 0x13, [2] = 0x22, [7] = 0x42};
    uint8_t mode = *chip_socket(chip, socket, MR) & 15;
    *chip_socket(chip, socket, SR) = chip->kind->is_w6100 ? of_w6100[mode] : states[mode];
    chip->sockets[socket].tx_read = chip->sockets[socket].rx_read = chip->sockets[socket].rx_write = FIRST_POINTER;
    chip->sockets[socket].rx_count = 0;
    set_word(chip, socket, TX_WR, FIRST_POINTER);
    set_word(chip, socket, RX_RD, FIRST_POINTER);
}

static void command(struct simulated_chip *chip, unsigned socket, uint8_t code) {
    uint8_t *state = chip_socket(chip, socket, SR);
    switch (code) {
    case 0x01:
        open(chip, socket);
        break;
    case 0x02:
        *state = 0x14;
        break;
    case 0x04:
        *state = 0x17;
        *chip_socket(chip, socket, IR) |= 1;
        break;
    case 0x08:
    case 0x10:
        *state = 0;
        break;
    case 0x20:
        chip->sockets[socket].is_held = chip->holds;
        if (!chip->holds) {
            finish_sending(chip, socket);
        }
        break;
    case 0x40:
        chip->sockets[socket].rx_count =
            (uint16_t)(chip->sockets[socket].rx_count -
                       (uint16_t)(word(chip, socket, RX_RD) - chip->sockets[socket].rx_read));
        chip->sockets[socket].rx_read = word(chip, socket, RX_RD);
        break;
    default:
        chip->faults++;
    }
}

/* The socket of a register's place; -1 for other places. */
static int socket_at(struct simulated_chip *chip, unsigned block, unsigned place, unsigned *offset) {
    if (chip->kind->has_blocks) {
        *offset = chip->kind->is_w6100 ? back(moved_of_socket, COUNT(moved_of_socket), place) : place;
        return block % 4 == 1 ? (int)(block / 4) : -1;
    }
    unsigned first = chip->kind->socket_place;
    *offset = place & 0xffu;
    bool is_there = !block && place >= first && place < first + 0x100u * chip->kind->sockets;
    return is_there ? (int)((place - first) / 0x100u) : -1;
}

static void write_byte(struct simulated_chip *chip, unsigned block, unsigned place, uint8_t value) {
    unsigned offset;
    int socket = socket_at(chip, block, place, &offset);
    bool is_locked = chip->kind->is_w6100 && !block && chip->space[0][LOCK_PLACE] != LOCK_KEY;
    if (socket < 0 && is_locked && back(moved_common, COUNT(moved_common), place) != NOWHERE) {
        return; /* it is lost */
    }
    if (socket < 0) {
        chip->space[block][place] = value;
    } else if (offset == NOWHERE || (offset == IR && chip->kind->is_w6100)) {
        chip->faults++;
    } else if (offset == CR && value == chip->refused) {
        chip->space[block][place] = value;
    } else if (offset == CR) {
        chip->space[block][place] = 0;
        command(chip, (unsigned)socket, value);
    } else if (offset == (chip->kind->is_w6100 ? CLEAR_IR : IR)) {
        *chip_socket(chip, (unsigned)socket, IR) &= (uint8_t)~value;
    } else if (offset == SR || (offset >= TX_FSR && offset < TX_WR) || offset == RX_RSR || offset == RX_RSR + 1) {
        chip->faults++;
    } else {
        chip->space[block][place] = value;
    }
}

static uint8_t read_byte(struct simulated_chip *chip, unsigned block, unsigned place) {
    unsigned offset;
    int socket = socket_at(chip, block, place, &offset);
    if (socket >= 0) {
        update_sizes(chip, (unsigned)socket);
        uint8_t value = chip->space[block][place];
        if (offset == RX_RSR && chip->during.bytes && (unsigned)socket == chip->during.socket) {
            const uint8_t *bytes = chip->during.bytes;
            chip->during.bytes = NULL;
            chip_receive(chip, chip->during.socket, bytes, chip->during.count);
        }
        return value;
    }
    if (!block && place == chip->kind->sir_place) {
        uint8_t standing = 0;
        for (unsigned n = 0; n < chip->kind->sockets; n++) {
            standing |= (uint8_t)(*chip_socket(chip, n, IR) ? 1u << n : 0);
        }
        return standing;
    }
    return chip->space[block][place];
}

/* SPI frames, each as its datasheet has them: what goes before the data. */
static void take_header(struct simulated_chip *chip, unsigned at, uint8_t out) {
    if (!chip->kind->has_blocks && !chip->kind->has_counts) {
        if (at == 0) {
            chip->is_write = out == 0xf0;
            chip->faults += out == 0xf0 || out == 0x0f ? 0 : 1;
        } else {
            chip->address = at == 2 ? chip->address << 8 | out : out;
        }
    } else if (at < 2) {
        chip->address = at ? chip->address << 8 | out : out;
    } else if (chip->kind->has_blocks) {
        chip->block = out >> 3;
        chip->is_write = out >> 2 & 1u;
        chip->faults += out & 3u ? 1 : 0;
    } else if (at == 2) {
        chip->is_write = out >> 7;
        chip->length = out & 0x7fu;
    } else {
        chip->length = chip->length << 8 | out;
    }
}

static uint8_t exchange(void *context, unsigned at, uint8_t out) {
    struct simulated_chip *chip = context;
    unsigned header_bytes = chip->kind->header_bytes;
    if (at < header_bytes) {
        take_header(chip, at, out);
        return (uint8_t)at;
    }
    chip->faults += chip->kind->has_counts && at >= header_bytes + chip->length ? 1 : 0;
    chip->faults += chip->kind->is_byte_by_byte && at > header_bytes ? 1 : 0;
    unsigned place = (chip->address + at - header_bytes) & 0xffffu;
    if (chip->block % 4 >= 2) {
        place %= chip_memory_kib(chip, chip->block / 4, chip->block % 4 == 2) * 1024u;
    }
    if (chip->is_write) {
        write_byte(chip, chip->block, place, out);
        return 0;
    }
    return read_byte(chip, chip->block, place);
}

void chip_begin(struct simulated_chip *chip, const struct simulated_kind *kind) {
    memset(chip, 0, sizeof *chip);
    chip->kind = kind;
    chip->bus.peer = exchange;
    chip->bus.context = chip;
    chip->space[0][kind->version_place] = (uint8_t)kind->version;
    chip->space[0][kind->phy_place] = (uint8_t)kind->phy;
    chip->space[0][0x1a] = chip->space[0][0x1b] = 0x55;
    for (unsigned n = 0; n < chip->kind->sockets; n++) {
        *chip_socket(chip, n, RXBUF) = *chip_socket(chip, n, TXBUF) = 2;
    }
}

const uint8_t *chip_sent(struct simulated_chip *chip, unsigned socket, size_t *count) {
    *count = chip->sockets[socket].sent_count;
    return chip->sockets[socket].sent;
}

void chip_forget_sent(struct simulated_chip *chip, unsigned socket) { chip->sockets[socket].sent_count = 0; }

bool chip_receive(struct simulated_chip *chip, unsigned socket, const uint8_t *bytes, size_t count) {
    if (chip->sockets[socket].rx_count + count > chip_memory_kib(chip, socket, false) * 1024u) {
        return false;
    }
    for (size_t at = 0; at < count; at++) {
        *memory(chip, socket, false, chip->sockets[socket].rx_write++) = bytes[at];
    }
    chip->sockets[socket].rx_count = (uint16_t)(chip->sockets[socket].rx_count + count);
    *chip_socket(chip, socket, IR) |= 4;
    update_sizes(chip, socket);
    return true;
}

void chip_receive_during_reading(struct simulated_chip *chip, unsigned socket, const uint8_t *bytes, size_t count) {
    chip->during.bytes = bytes;
    chip->during.count = count;
    chip->during.socket = socket;
}

void chip_accept(struct simulated_chip *chip, unsigned socket) {
    *chip_socket(chip, socket, SR) = 0x17;
    *chip_socket(chip, socket, IR) |= 1;
}

void chip_peer_ends(struct simulated_chip *chip, unsigned socket) {
    *chip_socket(chip, socket, SR) = 0x1c;
    *chip_socket(chip, socket, IR) |= 2;
}

void chip_refuse(struct simulated_chip *chip, uint8_t code) { chip->refused = code; }

void chip_hold_sending(struct simulated_chip *chip, bool is_held) {
    chip->holds = is_held;
    for (unsigned n = 0; !is_held && n < chip->kind->sockets; n++) {
        if (chip->sockets[n].is_held) {
            finish_sending(chip, n);
        }
    }
}

unsigned chip_memory_kib_in_all(const struct simulated_chip *chip) { return chip->kind->memory_kib; }

void chip_lose_link(struct simulated_chip *chip) {
    chip->space[0][chip->kind->phy_place] &= (uint8_t)~chip->kind->phy_link;
}

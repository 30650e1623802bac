/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Implementation of cyw43_bus.h. */
#include <string.h>

#include "cyw43_bus.h"
#include "cyw43_registers.h"

/* A command: write, count the address up, function, 17 bits of address, length of which 2048 is 0. */
static uint32_t command_of(bool is_write, enum cyw43_function function, uint32_t address, size_t bytes) {
    return (uint32_t)is_write << 31 | 1u << 30 | (uint32_t)function << 28 | (address & 0x1ffffu) << 11 |
           ((uint32_t)bytes & 0x7ffu);
}

static size_t words_of(size_t bytes) { return (bytes + 3u) / 4u; }

/* Swaps the bytes of each half. */
static uint32_t swapped(uint32_t word) { return (word & 0x00ff00ffu) << 8 | (word >> 8 & 0x00ff00ffu); }

/* A word as the chip counts it: its lowest byte lies first, whatever machine this is. */
static void put_word(uint8_t bytes[4], uint32_t word) {
    for (unsigned place = 0; place < 4; place++) {
        bytes[place] = (uint8_t)(word >> 8 * place);
    }
}

static uint32_t in_memory(uint32_t word) {
    uint8_t bytes[4];
    put_word(bytes, word);
    __builtin_memcpy(&word, bytes, sizeof word);
    return word;
}

static void begin(struct cyw43 *cyw43, uint32_t command, size_t out_words, size_t in_words) {
    cyw43->port->begin(cyw43->context, in_memory(command), out_words, in_words);
}

static void write_word(struct cyw43 *cyw43, uint32_t command, uint32_t value) {
    uint32_t word = in_memory(value);
    begin(cyw43, command, 1, 0);
    cyw43->port->put(cyw43->context, &word, 1);
    cyw43->port->end(cyw43->context);
}

/* `ahead` words come before the one that is asked for. */
static uint32_t read_word(struct cyw43 *cyw43, uint32_t command, size_t ahead) {
    uint32_t word = 0;
    begin(cyw43, command, 0, ahead + 1);
    if (ahead) {
        cyw43->port->get(cyw43->context, NULL, ahead);
    }
    cyw43->port->get(cyw43->context, &word, 1);
    cyw43->port->end(cyw43->context);
    return in_memory(word);
}

void cyw43_bus_write_first(struct cyw43 *cyw43, uint32_t address, uint32_t value) {
    write_word(cyw43, swapped(command_of(true, CYW43_BUS, address, 4)), swapped(value));
}

uint32_t cyw43_bus_read_first(struct cyw43 *cyw43, uint32_t address) {
    return swapped(read_word(cyw43, swapped(command_of(false, CYW43_BUS, address, 4)), 0));
}

void cyw43_bus_write(struct cyw43 *cyw43, enum cyw43_function function, uint32_t address, size_t bytes,
                     uint32_t value) {
    write_word(cyw43, command_of(true, function, address, bytes), value);
}

uint32_t cyw43_bus_read(struct cyw43 *cyw43, enum cyw43_function function, uint32_t address, size_t bytes) {
    size_t ahead = function == CYW43_BACKPLANE ? BACKPLANE_DELAY_BYTES / 4u : 0;
    uint32_t word = read_word(cyw43, command_of(false, function, address, bytes), ahead);
    return bytes < 4 ? word & ((1u << 8u * bytes) - 1u) : word;
}

/* Moves the window of 32 KiB to an address; what it has already is not written again. Gives the address within. */
static uint32_t window_to(struct cyw43 *cyw43, uint32_t address) {
    uint32_t wanted = address & ~WINDOW_MASK, changed = wanted ^ cyw43->window;
    for (unsigned byte = 1; byte < 4; byte++) {
        if (changed >> 8u * byte & 0xffu) {
            cyw43_bus_write(cyw43, CYW43_BACKPLANE, WINDOW_ADDRESS + byte - 1u, 1, wanted >> 8u * byte & 0xffu);
        }
    }
    cyw43->window = wanted;
    return (address & WINDOW_MASK) | WINDOW_WORDS;
}

void cyw43_backplane_write(struct cyw43 *cyw43, uint32_t address, uint32_t value) {
    cyw43_bus_write(cyw43, CYW43_BACKPLANE, window_to(cyw43, address), 4, value);
}

uint32_t cyw43_backplane_read(struct cyw43 *cyw43, uint32_t address) {
    return cyw43_bus_read(cyw43, CYW43_BACKPLANE, window_to(cyw43, address), 4);
}

void cyw43_backplane_upload(struct cyw43 *cyw43, uint32_t address, const void *words, size_t bytes) {
    const uint8_t *from = words;
    for (size_t done = 0; done < bytes;) {
        size_t block = bytes - done < CYW43_BLOCK_BYTES ? bytes - done : CYW43_BLOCK_BYTES;
        size_t before_window = WINDOW_MASK + 1u - ((address + done) & WINDOW_MASK);
        block = block < before_window ? block : before_window;
        uint32_t within = window_to(cyw43, address + (uint32_t)done);
        begin(cyw43, command_of(true, CYW43_BACKPLANE, within, block), words_of(block), 0);
        cyw43->port->put(cyw43->context, from + done, words_of(block));
        cyw43->port->end(cyw43->context);
        done += block;
    }
}

static void open_transfer(struct cyw43 *cyw43, size_t bytes) {
    cyw43->transfer.words = (uint32_t)words_of(bytes);
    cyw43->transfer.carried_bytes = 0;
}

void cyw43_packet_begin_read(struct cyw43 *cyw43, size_t bytes) {
    open_transfer(cyw43, bytes);
    begin(cyw43, command_of(false, CYW43_WLAN, 0, bytes), 0, words_of(bytes));
}

/* Whole words, as many as there are. */
static size_t take_words(struct cyw43 *cyw43, void *words, size_t count) {
    count = count < cyw43->transfer.words ? count : cyw43->transfer.words;
    if (count) {
        cyw43->port->get(cyw43->context, words, count);
        cyw43->transfer.words -= (uint32_t)count;
    }
    return count;
}

/* The next word of which not all bytes are wanted at once. */
static void take_word_apart(struct cyw43 *cyw43) {
    uint32_t word = 0;
    take_words(cyw43, &word, 1);
    cyw43->transfer.carried = in_memory(word);
    cyw43->transfer.carried_bytes = 4;
}

static uint8_t *take_carried(struct cyw43 *cyw43, uint8_t *to, size_t *count) {
    for (; *count && cyw43->transfer.carried_bytes; --*count, cyw43->transfer.carried_bytes--) {
        if (to) {
            *to++ = (uint8_t)cyw43->transfer.carried;
        }
        cyw43->transfer.carried >>= 8;
    }
    return to;
}

/* Words to a place that is none for words. */
static size_t take_words_aside(struct cyw43 *cyw43, uint8_t *to, size_t count) {
    uint32_t aside[16];
    count = count < 16 ? count : 16;
    count = take_words(cyw43, aside, count);
    memcpy(to, aside, 4 * count);
    return count;
}

static void read_packet(struct cyw43 *cyw43, uint8_t *to, size_t count) {
    to = take_carried(cyw43, to, &count);
    while (count >= 4 && cyw43->transfer.words) {
        bool fits = ((uintptr_t)to & 3u) == 0;
        size_t taken = fits ? take_words(cyw43, to, count / 4) : take_words_aside(cyw43, to, count / 4);
        to = to ? to + 4 * taken : NULL;
        count -= 4 * taken;
    }
    if (count) {
        take_word_apart(cyw43);
        take_carried(cyw43, to, &count);
    }
}

void cyw43_packet_read(struct cyw43 *cyw43, void *bytes, size_t count) { read_packet(cyw43, bytes, count); }

void cyw43_packet_skip(struct cyw43 *cyw43, size_t count) { read_packet(cyw43, NULL, count); }

void cyw43_packet_begin_write(struct cyw43 *cyw43, size_t bytes) {
    open_transfer(cyw43, bytes);
    /* Whole words: the packet's own header says where it ends. */
    begin(cyw43, command_of(true, CYW43_WLAN, 0, 4 * words_of(bytes)), words_of(bytes), 0);
}

static size_t give_words(struct cyw43 *cyw43, const void *words, size_t count) {
    count = count < cyw43->transfer.words ? count : cyw43->transfer.words;
    if (count) {
        cyw43->port->put(cyw43->context, words, count);
        cyw43->transfer.words -= (uint32_t)count;
    }
    return count;
}

static const uint8_t *fill_word(struct cyw43 *cyw43, const uint8_t *from, size_t *count) {
    if (!cyw43->transfer.carried_bytes) {
        cyw43->transfer.carried = 0;
    }
    for (; *count && cyw43->transfer.carried_bytes < 4; --*count, cyw43->transfer.carried_bytes++) {
        cyw43->transfer.carried |= (uint32_t)*from++ << 8u * cyw43->transfer.carried_bytes;
    }
    if (cyw43->transfer.carried_bytes == 4) {
        uint32_t word = in_memory(cyw43->transfer.carried);
        give_words(cyw43, &word, 1);
        cyw43->transfer.carried_bytes = 0;
    }
    return from;
}

static size_t give_words_aside(struct cyw43 *cyw43, const uint8_t *from, size_t count) {
    uint32_t aside[16];
    count = count < 16 ? count : 16;
    memcpy(aside, from, 4 * count);
    return give_words(cyw43, aside, count);
}

void cyw43_packet_write(struct cyw43 *cyw43, const void *bytes, size_t count) {
    const uint8_t *from = bytes;
    if (cyw43->transfer.carried_bytes) {
        from = fill_word(cyw43, from, &count);
    }
    while (count >= 4 && cyw43->transfer.words) {
        bool fits = ((uintptr_t)from & 3u) == 0;
        size_t given = fits ? give_words(cyw43, from, count / 4) : give_words_aside(cyw43, from, count / 4);
        from += 4 * given;
        count -= 4 * given;
    }
    if (count && cyw43->transfer.words) {
        fill_word(cyw43, from, &count);
    }
}

/* A packet that is read gives the rest of its words; one that is written has zeros in their place. */
static void close_transfer(struct cyw43 *cyw43, bool is_written) {
    static const uint32_t zeros[16];
    if (is_written && cyw43->transfer.carried_bytes) {
        uint32_t word = in_memory(cyw43->transfer.carried);
        give_words(cyw43, &word, 1);
    }
    while (is_written && cyw43->transfer.words) {
        give_words(cyw43, zeros, cyw43->transfer.words < 16 ? cyw43->transfer.words : 16);
    }
    if (!is_written && cyw43->transfer.words) {
        take_words(cyw43, NULL, cyw43->transfer.words);
    }
    cyw43->port->end(cyw43->context);
}

void cyw43_packet_end_read(struct cyw43 *cyw43) { close_transfer(cyw43, false); }

void cyw43_packet_end_write(struct cyw43 *cyw43) { close_transfer(cyw43, true); }

uint32_t cyw43_now_us(const struct cyw43 *cyw43) { return cyw43->port->microseconds(cyw43->context); }

bool cyw43_is_over(const struct cyw43 *cyw43, uint32_t from_us, uint32_t limit_us) {
    return cyw43_now_us(cyw43) - from_us >= limit_us;
}

void cyw43_pause(const struct cyw43 *cyw43, uint32_t us) {
    uint32_t from_us = cyw43_now_us(cyw43), gone_us;
    while ((gone_us = cyw43_now_us(cyw43) - from_us) < us) {
        cyw43->port->sleep(cyw43->context, us - gone_us);
    }
}

/* One-way messages: sizes, order of bytes, and messages that are found among any garbage however the bytes are cut. */
#include <stdint.h>

#include "crc32.h"
#include "expect.h"
#include "oneway_message.h"

static uint32_t state = 1;

static uint32_t chance(uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static void the_least_message_stands_as_documented(void) {
    uint8_t bytes[12];
    oneway_write(bytes, sizeof bytes, 0x01020304);
    static const uint8_t head[] = {0xa5, 0x57, 0, 12, 1, 2, 3, 4};
    EXPECT(!memcmp(bytes, head, sizeof head));
    uint32_t sum = (uint32_t)bytes[8] << 24 | (uint32_t)bytes[9] << 16 | (uint32_t)bytes[10] << 8 | bytes[11];
    EXPECT_EQUAL(sum, crc32(0, bytes, 8));
}

static void every_size_comes_back(void) {
    uint8_t bytes[ONEWAY_MOST_BYTES];
    for (size_t size = ONEWAY_LEAST_BYTES; size <= ONEWAY_MOST_BYTES; size++) {
        struct oneway_message message;
        oneway_write(bytes, size, (uint32_t)(size * 77777));
        EXPECT(oneway_read(bytes, size, &message));
        EXPECT_EQUAL(message.sequence, (uint32_t)(size * 77777));
        EXPECT_EQUAL(message.bytes, size);
        EXPECT(!oneway_read(bytes, size - 1, &message));
    }
}

static void no_bit_can_flip_unseen(void) {
    uint8_t bytes[40];
    struct oneway_message message;
    oneway_write(bytes, sizeof bytes, 99);
    for (unsigned bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        EXPECT(!oneway_read(bytes, sizeof bytes, &message));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

/* Gives the receiver the bytes in pieces of any size; counts messages, which must come in order. */
static unsigned feed(struct oneway_receiver *receiver, const uint8_t *bytes, size_t count, uint32_t *next) {
    unsigned found = 0;
    for (size_t at = 0; at < count;) {
        size_t piece = 1 + chance(300);
        piece = piece < count - at ? piece : count - at;
        size_t taken = oneway_take(receiver, bytes + at, piece);
        EXPECT(taken > 0);
        at += taken;
        struct oneway_message message;
        while (oneway_next(receiver, &message)) {
            EXPECT_EQUAL(message.sequence, *next);
            *next = message.sequence + 1;
            found++;
        }
    }
    return found;
}

/* Garbage of any bytes, and of beginnings of messages that do not go on. */
static size_t make_garbage(uint8_t *bytes) {
    size_t count = chance(60);
    for (size_t at = 0; at < count; at++) {
        bytes[at] = (uint8_t)chance(256);
    }
    if (chance(2)) {
        uint8_t message[ONEWAY_MOST_BYTES];
        size_t cut = 1 + chance(40);
        oneway_write(message, 41 + chance(900), chance(1000));
        memcpy(bytes + count, message, cut);
        count += cut;
    }
    return count;
}

static void every_message_is_found_among_garbage(void) {
    static uint8_t bytes[1 << 16];
    for (unsigned round = 0; round < 200; round++) {
        struct oneway_receiver receiver = {.count = 0};
        size_t count = 0;
        uint32_t next = 0;
        for (uint32_t sequence = 0; sequence < 20; sequence++) {
            count += make_garbage(bytes + count);
            size_t size = ONEWAY_LEAST_BYTES + chance(ONEWAY_MOST_BYTES - ONEWAY_LEAST_BYTES + 1);
            oneway_write(bytes + count, size, sequence);
            count += size;
        }
        unsigned found = feed(&receiver, bytes, count, &next);
        /* What a false beginning still waits for is given up when the line falls silent. */
        for (unsigned silences = 0; silences < 2 * ONEWAY_MOST_BYTES && receiver.count; silences++) {
            struct oneway_message message;
            oneway_give_up(&receiver);
            while (oneway_next(&receiver, &message)) {
                EXPECT_EQUAL(message.sequence, next);
                next = message.sequence + 1;
                found++;
            }
        }
        EXPECT_EQUAL(found, 20);
        EXPECT_EQUAL(receiver.count, 0);
    }
}

static void a_message_in_pieces_drops_nothing(void) {
    uint8_t bytes[ONEWAY_MOST_BYTES];
    struct oneway_receiver receiver = {.count = 0};
    struct oneway_message message;
    for (size_t size = ONEWAY_LEAST_BYTES; size <= ONEWAY_MOST_BYTES; size += 101) {
        oneway_write(bytes, size, 5);
        for (size_t at = 0; at < size; at++) {
            EXPECT(!oneway_next(&receiver, &message));
            EXPECT_EQUAL(oneway_take(&receiver, bytes + at, 1), 1);
        }
        EXPECT(oneway_next(&receiver, &message));
        EXPECT_EQUAL(message.bytes, size);
    }
    EXPECT_EQUAL(receiver.dropped, 0);
}

int main(void) {
    the_least_message_stands_as_documented();
    every_size_comes_back();
    no_bit_can_flip_unseen();
    every_message_is_found_among_garbage();
    a_message_in_pieces_drops_nothing();
    return expect_result();
}

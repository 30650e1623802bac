/* Implementation of oneway_message.h. */
#include "oneway_message.h"

#include <string.h>

#include "crc32.h"
#include "network_order.h"

#define MARK_FIRST 0xa5u
#define MARK_SECOND 0x57u
#define HEAD_BYTES 4u
#define CRC_BYTES 4u

static size_t said_length(const uint8_t *bytes) { return (size_t)(bytes[2] << 8 | bytes[3]); }

void oneway_write(uint8_t *bytes, size_t count, uint32_t sequence) {
    bytes[0] = MARK_FIRST;
    bytes[1] = MARK_SECOND;
    bytes[2] = (uint8_t)(count >> 8);
    bytes[3] = (uint8_t)count;
    network_put_word(bytes + HEAD_BYTES, sequence);
    for (size_t at = HEAD_BYTES + 4; at < count - CRC_BYTES; at++) {
        bytes[at] = (uint8_t)(sequence + at);
    }
    network_put_word(bytes + count - CRC_BYTES, crc32(0, bytes, count - CRC_BYTES));
}

/* Whether what is there can be the beginning of a message. */
static bool can_begin(const uint8_t *bytes, size_t count) {
    return (count < 1 || bytes[0] == MARK_FIRST) && (count < 2 || bytes[1] == MARK_SECOND) &&
           (count < HEAD_BYTES ||
            (said_length(bytes) >= ONEWAY_LEAST_BYTES && said_length(bytes) <= ONEWAY_MOST_BYTES));
}

bool oneway_read(const uint8_t *bytes, size_t count, struct oneway_message *message) {
    if (count < ONEWAY_LEAST_BYTES || !can_begin(bytes, count) || said_length(bytes) != count ||
        network_word(bytes + count - CRC_BYTES) != crc32(0, bytes, count - CRC_BYTES)) {
        return false;
    }
    *message = (struct oneway_message){network_word(bytes + HEAD_BYTES), count};
    return true;
}

size_t oneway_take(struct oneway_receiver *receiver, const uint8_t *bytes, size_t count) {
    size_t room = sizeof receiver->bytes - receiver->count;
    count = count < room ? count : room;
    memcpy(receiver->bytes + receiver->count, bytes, count);
    receiver->count += count;
    return count;
}

static void take_out(struct oneway_receiver *receiver, size_t count) {
    receiver->count -= count;
    memmove(receiver->bytes, receiver->bytes + count, receiver->count);
    receiver->summed = 0;
    receiver->crc = 0;
}

/* Up to the next place where a message can begin, one byte further at least. */
static void skip(struct oneway_receiver *receiver) {
    size_t at = 1;
    while (at < receiver->count && !can_begin(receiver->bytes + at, receiver->count - at)) {
        at++;
    }
    receiver->dropped += (uint32_t)at;
    take_out(receiver, at);
}

/* The sum goes on with what has come in, up to where the message's own sum stands. */
static void sum_up_to(struct oneway_receiver *receiver, size_t end) {
    size_t to = receiver->count < end ? receiver->count : end;
    if (to > receiver->summed) {
        receiver->crc = crc32(receiver->crc, receiver->bytes + receiver->summed, to - receiver->summed);
        receiver->summed = to;
    }
}

bool oneway_next(struct oneway_receiver *receiver, struct oneway_message *message) {
    while (receiver->count) {
        const uint8_t *bytes = receiver->bytes;
        if (!can_begin(bytes, receiver->count)) {
            skip(receiver);
            continue;
        }
        if (receiver->count < HEAD_BYTES) {
            return false;
        }
        size_t length = said_length(bytes);
        sum_up_to(receiver, length - CRC_BYTES);
        if (receiver->count < length) {
            return false;
        }
        if (network_word(bytes + length - CRC_BYTES) == receiver->crc) {
            *message = (struct oneway_message){network_word(bytes + HEAD_BYTES), length};
            take_out(receiver, length);
            return true;
        }
        skip(receiver);
    }
    return false;
}

void oneway_give_up(struct oneway_receiver *receiver) {
    if (receiver->count) {
        skip(receiver);
    }
}

/* The messages of one-way measurements, of 12 to 1024 bytes with everything:
 *
 *     0xa5 0x57 | length of all, 16 bits | sequence number, 32 bits | filling | CRC-32 of all before it
 *
 * numbers in network order. On streams and serial lines a receiver finds the next message after any bytes that are
 * none. */
#ifndef ONEWAY_MESSAGE_H
#define ONEWAY_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ONEWAY_LEAST_BYTES 12u
#define ONEWAY_MOST_BYTES 1024u

struct oneway_message {
    uint32_t sequence;
    size_t bytes;
};

/* Writes a message of `count` bytes, from ONEWAY_LEAST_BYTES to ONEWAY_MOST_BYTES. */
void oneway_write(uint8_t *bytes, size_t count, uint32_t sequence);
/* Whether `count` bytes are exactly one message; as of datagrams. */
bool oneway_read(const uint8_t *bytes, size_t count, struct oneway_message *message);

/* Finds messages among bytes. All zero is one that has heard nothing. */
struct oneway_receiver {
    uint8_t bytes[ONEWAY_MOST_BYTES];
    size_t count;
    size_t summed; /* so many of them are in `crc`: nothing is left to compute when the last byte comes */
    uint32_t crc;
    uint32_t dropped; /* bytes that were no message's */
};

/* Takes as many of the bytes as there is room for. There is room for one at least when oneway_next() has said no. */
size_t oneway_take(struct oneway_receiver *receiver, const uint8_t *bytes, size_t count);
/* Whether a whole message was there; it is taken out. */
bool oneway_next(struct oneway_receiver *receiver, struct oneway_message *message);
/* The line has fallen silent within what looked like a message: it was none, and there may be one behind its start. */
void oneway_give_up(struct oneway_receiver *receiver);

#endif

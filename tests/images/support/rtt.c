#include "rtt.h"

#include "text.h"

struct buffer {
    const char *name;
    uint8_t *start;
    uint32_t size;
    volatile uint32_t write;
    volatile uint32_t read;
    uint32_t mode;
};

struct control_block {
    char identifier[16];
    uint32_t up_buffers;
    uint32_t down_buffers;
    struct buffer up;
    struct buffer down;
};

struct control_block _SEGGER_RTT;
static uint8_t up_bytes[RTT_BYTES];
static uint8_t down_bytes[16];

/* Backwards, so that no probe takes the constant in flash, or a copy of it, for the block. */
static const char identifier_backwards[] = "TTR REGGES";

static void barrier(void) { __asm__ volatile("dmb" ::: "memory"); }

void rtt_start(const char *name, uint32_t mode, uint32_t down) {
    struct control_block *block = &_SEGGER_RTT;
    block->up_buffers = 1;
    block->down_buffers = down;
    block->up = (struct buffer){name, up_bytes, sizeof up_bytes, 0, 0, mode};
    block->down = (struct buffer){name, down_bytes, sizeof down_bytes, 0, 0, RTT_SKIP};
    barrier();
    for (uint32_t i = 0; i < sizeof identifier_backwards - 1; i++) {
        ((volatile char *)block->identifier)[i] = identifier_backwards[sizeof identifier_backwards - 2 - i];
    }
    barrier();
}

static uint32_t room(const struct buffer *buffer) {
    uint32_t read = buffer->read, write = buffer->write;
    return read > write ? read - write - 1 : buffer->size - 1 - write + read;
}

static void put(struct buffer *buffer, uint8_t byte) {
    uint32_t write = buffer->write;
    buffer->start[write] = byte;
    barrier();
    buffer->write = write + 1 == buffer->size ? 0 : write + 1;
}

int rtt_write(const void *bytes, uint32_t length) {
    struct buffer *buffer = &_SEGGER_RTT.up;
    if (buffer->mode == RTT_SKIP && room(buffer) < length) {
        return 0;
    }
    for (uint32_t i = 0; i < length; i++) {
        while (room(buffer) == 0) {
        }
        put(buffer, ((const uint8_t *)bytes)[i]);
    }
    return 1;
}

int rtt_put_text(const char *text) {
    uint32_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    return rtt_write(text, length);
}

int rtt_read(void) {
    struct buffer *buffer = &_SEGGER_RTT.down;
    uint32_t read = buffer->read;
    if (read == buffer->write) {
        return -1;
    }
    uint8_t byte = buffer->start[read];
    barrier();
    buffer->read = read + 1 == buffer->size ? 0 : read + 1;
    return byte;
}

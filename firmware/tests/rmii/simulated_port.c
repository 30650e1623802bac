/* Implementation of simulated_port.h. The CRC is reckoned bit by bit, as IEEE 802.3 has it (clause 3). */
#include "simulated_port.h"

#include <string.h>

#include "interrupt.h"
#include "rmii.h"

static uint8_t in[RMII_RING_BYTES], out[RMII_RING_BYTES];
static void (*ended)(uint32_t place);
static void (*left)(void);
static uint32_t written, crc, sending;
static size_t sending_bytes;

uint32_t interrupts_hold(void) { return 0; }
void interrupts_release(uint32_t held) { (void)held; }

void rmii_start(void (*frame_ended)(uint32_t place), void (*frame_left)(void)) {
    ended = frame_ended;
    left = frame_left;
    written = sending = 0;
    sending_bytes = 0;
}

uint32_t port_crc(uint32_t value, uint8_t byte) {
    for (unsigned bit = 0; bit < 8; bit++) {
        uint32_t feedback = (value ^ byte >> bit) & 1u;
        value = value >> 1 ^ (feedback ? 0xedb88320u : 0u);
    }
    return value;
}

static void put(uint8_t byte) { in[written++ % RMII_RING_BYTES] = byte; }

void port_receives(const uint8_t *frame, size_t bytes, bool is_intact) {
    uint32_t value = 0xffffffffu;
    for (size_t n = 0; n < bytes; n++) {
        put(frame[n]);
        value = port_crc(value, frame[n]);
    }
    value = is_intact ? ~value : value;
    for (unsigned n = 0; n < 4; n++) {
        put((uint8_t)(value >> 8u * n));
    }
    ended(written % RMII_RING_BYTES);
}

void port_is_receiving(size_t bytes) {
    while (bytes--) {
        put(0xff);
    }
}

void rmii_send(uint32_t place, size_t bytes) {
    sending = place;
    sending_bytes = bytes;
}

size_t port_sending(uint8_t *frame, size_t room) {
    for (size_t n = 0; n < sending_bytes && n < room; n++) {
        frame[n] = out[(sending + 4u + n) % RMII_RING_BYTES];
    }
    return sending_bytes;
}

void port_has_sent(void) {
    sending_bytes = 0;
    left();
}

void rmii_crc_begin(void) { crc = 0xffffffffu; }
uint32_t rmii_crc(void) { return crc; }
uint8_t rmii_peek(uint32_t place) { return in[place]; }
void rmii_put_byte(uint32_t place, uint8_t byte) { out[place] = byte; }

void rmii_take(uint8_t *to, uint32_t place, size_t count) {
    for (size_t n = 0; n < count; n++) {
        to[n] = in[(place + n) % RMII_RING_BYTES];
        crc = port_crc(crc, to[n]);
    }
}

void rmii_put(uint32_t place, const uint8_t *from, size_t count) {
    for (size_t n = 0; n < count; n++) {
        out[(place + n) % RMII_RING_BYTES] = from[n];
        crc = port_crc(crc, from[n]);
    }
}

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Implementation of cyw43_control.h. Nothing that the chip says of lengths is believed beyond what it has sent. */
#include "cyw43_control.h"

#include <string.h>

#include "cyw43_bus.h"
#include "cyw43_registers.h"

/* The country takes 28 ms, everything else one or two. */
#define ANSWER_LIMIT_US 500000u
#define ANSWER_LOOK_US 50u
/* How long the chip may have no room for a request. */
#define ROOM_LIMIT_US 100000u
#define NAME_MOST_BYTES 24u

/* An event: Ethernet's header and 10 bytes of Broadcom's, then version and flags of 16 bits, numbers of 32. */
#define EVENT_BYTES 44u
#define EVENT_AT 24u
static const uint8_t event_mark[5] = {0x88, 0x6c, 0x00, 0x10, 0x18};

static uint8_t *message(struct cyw43 *cyw43) { return (uint8_t *)cyw43->message; }

static void take_credit(struct cyw43 *cyw43, const uint8_t *header) {
    uint8_t ahead = (uint8_t)(header[9] - cyw43->sequence);
    if (ahead <= MOST_CREDIT) {
        cyw43->credit = header[9];
    }
    cyw43->is_stopped = header[8] != 0;
}

/* The rest of a packet that is no frame, as much as there is room for. */
static size_t take_rest(struct cyw43 *cyw43, size_t left, size_t room) {
    size_t count = left < room ? left : room;
    cyw43_packet_read(cyw43, message(cyw43), count);
    return count;
}

static void take_answer(struct cyw43 *cyw43, size_t left) {
    uint8_t header[REQUEST_HEADER_BYTES];
    if (left < sizeof header) {
        cyw43->faults++;
        return;
    }
    cyw43_packet_read(cyw43, header, sizeof header);
    if (cyw43_get16(header + 10) != cyw43->request || cyw43->is_answered) {
        return; /* to a request that nobody waits for any more */
    }
    cyw43->answer_bytes = (uint16_t)take_rest(cyw43, left - sizeof header, sizeof cyw43->message);
    cyw43->is_refused = cyw43_get32(header + 12) != STATUS_SUCCESS;
    cyw43->is_answered = true;
}

static void take_event(struct cyw43 *cyw43, size_t left) {
    uint8_t event[FRAME_HEADER_BYTES + EVENT_BYTES];
    if (left < sizeof event) {
        return; /* the first two packets after the start say nothing */
    }
    cyw43_packet_read(cyw43, event, FRAME_HEADER_BYTES);
    size_t ahead = 4u * event[3];
    if (left < sizeof event + ahead) {
        return;
    }
    cyw43_packet_skip(cyw43, ahead);
    cyw43_packet_read(cyw43, event, EVENT_BYTES);
    bool is_event = !memcmp(event + 12, event_mark, 2) && !memcmp(event + 19, event_mark + 2, 3);
    if (is_event) {
        const uint8_t *numbers = event + EVENT_AT;
        cyw43_event(cyw43, cyw43_get32_wire(numbers + 4), cyw43_get32_wire(numbers + 8), cyw43_get32_wire(numbers + 12),
                    (uint32_t)numbers[2] << 8 | numbers[3]);
    }
}

/* Up to the first byte of an Ethernet frame; whether there is one. */
static bool open_frame(struct cyw43 *cyw43, size_t left) {
    uint8_t header[FRAME_HEADER_BYTES];
    if (left < sizeof header) {
        return false; /* news of credit alone */
    }
    cyw43_packet_read(cyw43, header, sizeof header);
    size_t ahead = 4u * header[3];
    if (left - sizeof header < ahead) {
        cyw43->faults++;
        return false;
    }
    cyw43_packet_skip(cyw43, ahead);
    cyw43->frame_bytes = (uint16_t)(left - sizeof header - ahead);
    return cyw43->frame_bytes > 0;
}

/* The chip and its header do not agree, or what it says cannot be: the packet is read to its end, and forgotten. */
static enum cyw43_packet give_up(struct cyw43 *cyw43) {
    cyw43_packet_end_read(cyw43);
    cyw43->faults++;
    return CYW43_TAKEN;
}

enum cyw43_packet cyw43_take_packet(struct cyw43 *cyw43) {
    uint32_t status = cyw43_bus_read(cyw43, CYW43_BUS, BUS_STATUS, 4);
    size_t bytes = STATUS_PACKET_BYTES(status);
    if (!(status & STATUS_HAS_PACKET) || status == UINT32_MAX) {
        return CYW43_NOTHING;
    }
    cyw43_packet_begin_read(cyw43, bytes);
    uint8_t header[PACKET_HEADER_BYTES] __attribute__((aligned(4))) = {0};
    if (bytes < sizeof header) {
        return give_up(cyw43);
    }
    cyw43_packet_read(cyw43, header, sizeof header);
    size_t length = cyw43_get16(header), begin = header[7];
    bool is_right =
        (length ^ cyw43_get16(header + 2)) == 0xffffu && length <= bytes && begin >= sizeof header && begin <= length;
    if (!is_right) {
        return give_up(cyw43);
    }
    take_credit(cyw43, header);
    cyw43_packet_skip(cyw43, begin - sizeof header);
    switch (header[5] & 15u) {
    case CHANNEL_CONTROL:
        take_answer(cyw43, length - begin);
        break;
    case CHANNEL_EVENT:
        take_event(cyw43, length - begin);
        break;
    case CHANNEL_DATA:
        if (open_frame(cyw43, length - begin)) {
            return CYW43_FRAME;
        }
        break;
    default:
        break;
    }
    cyw43_packet_end_read(cyw43);
    return CYW43_TAKEN;
}

bool cyw43_takes_packet(struct cyw43 *cyw43) {
    uint8_t ahead = (uint8_t)(cyw43->credit - cyw43->sequence);
    if (!ahead || ahead > MOST_CREDIT || cyw43->is_stopped) {
        return false;
    }
    uint32_t status = cyw43_bus_read(cyw43, CYW43_BUS, BUS_STATUS, 4);
    return status & STATUS_TAKES_PACKETS && status != UINT32_MAX;
}

void cyw43_begin_packet(struct cyw43 *cyw43, unsigned channel, size_t padding, size_t bytes) {
    size_t total = PACKET_HEADER_BYTES + padding + bytes;
    uint8_t header[PACKET_HEADER_BYTES + FRAME_PADDING] __attribute__((aligned(4))) = {0};
    cyw43_put16(cyw43_put16(header, (uint32_t)total), ~(uint32_t)total);
    header[4] = cyw43->sequence++;
    header[5] = (uint8_t)channel;
    header[7] = (uint8_t)(PACKET_HEADER_BYTES + padding);
    cyw43_packet_begin_write(cyw43, total);
    cyw43_packet_write(cyw43, header, PACKET_HEADER_BYTES + padding);
}

uint8_t *cyw43_content(struct cyw43 *cyw43, const char *name) {
    size_t bytes = 0;
    memset(cyw43->message, 0, sizeof cyw43->message);
    for (; name && name[bytes] && bytes < NAME_MOST_BYTES; bytes++) {
        message(cyw43)[bytes] = (uint8_t)name[bytes];
    }
    return message(cyw43) + (name ? bytes + 1 : 0);
}

static bool wait_for_room(struct cyw43 *cyw43) {
    uint32_t from_us = cyw43_now_us(cyw43);
    while (!cyw43_takes_packet(cyw43)) {
        if (cyw43_is_over(cyw43, from_us, ROOM_LIMIT_US)) {
            return false;
        }
        if (cyw43_take_packet(cyw43) == CYW43_FRAME) {
            cyw43_packet_end_read(cyw43);
        }
        cyw43->port->sleep(cyw43->context, ANSWER_LOOK_US);
    }
    return true;
}

static void write_request(struct cyw43 *cyw43, uint32_t command, bool sets, const uint8_t *end) {
    size_t bytes = (size_t)(end - message(cyw43));
    uint8_t header[REQUEST_HEADER_BYTES] __attribute__((aligned(4))) = {0};
    uint8_t *to = cyw43_put32(cyw43_put32(header, command), (uint32_t)bytes);
    cyw43_put16(cyw43_put16(to, sets ? REQUEST_SETS : 0), ++cyw43->request);
    cyw43->is_answered = false;
    cyw43_begin_packet(cyw43, CHANNEL_CONTROL, 0, sizeof header + bytes);
    cyw43_packet_write(cyw43, header, sizeof header);
    cyw43_packet_write(cyw43, cyw43->message, bytes);
    cyw43_packet_end_write(cyw43);
}

bool cyw43_send_request(struct cyw43 *cyw43, uint32_t command, bool sets, const uint8_t *end) {
    if (!cyw43_takes_packet(cyw43)) {
        return false;
    }
    write_request(cyw43, command, sets, end);
    cyw43->is_answered = true; /* whatever comes is not looked at */
    return true;
}

bool cyw43_request(struct cyw43 *cyw43, uint32_t command, bool sets, const uint8_t *end) {
    if (!wait_for_room(cyw43)) {
        return false;
    }
    write_request(cyw43, command, sets, end);
    uint32_t from_us = cyw43_now_us(cyw43);
    while (!cyw43->is_answered) {
        enum cyw43_packet packet = cyw43_take_packet(cyw43);
        if (packet == CYW43_FRAME) {
            cyw43_packet_end_read(cyw43); /* it is lost, as any frame may be */
        }
        if (cyw43_is_over(cyw43, from_us, ANSWER_LIMIT_US)) {
            cyw43->is_answered = true;
            return false;
        }
        if (packet == CYW43_NOTHING) {
            cyw43->port->sleep(cyw43->context, ANSWER_LOOK_US);
        }
    }
    return !cyw43->is_refused;
}

const uint8_t *cyw43_answer(const struct cyw43 *cyw43, size_t *bytes) {
    *bytes = cyw43->answer_bytes;
    return (const uint8_t *)cyw43->message;
}

bool cyw43_set(struct cyw43 *cyw43, uint32_t command, uint32_t value) {
    return cyw43_request(cyw43, command, true, cyw43_put32(cyw43_content(cyw43, NULL), value));
}

bool cyw43_set_named(struct cyw43 *cyw43, const char *name, uint32_t value) {
    uint8_t *to = cyw43_content(cyw43, name);
    if (!strncmp(name, "bsscfg:", 7)) {
        to = cyw43_put32(to, 0);
    }
    return cyw43_request(cyw43, REQUEST_SET, true, cyw43_put32(to, value));
}

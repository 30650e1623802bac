/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Implementation of cyw43_frames.h. A frame is read and written in one transaction, straight from and to where it lies:
 * on the bus Ethernet's header begins two bytes behind a word. */
#include "cyw43_frames.h"

#include "cyw43_bus.h"
#include "cyw43_control.h"
#include "cyw43_registers.h"

/* Answers and events that one look takes care of; more wait for the next. */
#define MOST_OTHERS 8u

void cyw43_frames_acknowledge(struct cyw43 *cyw43) {
    uint32_t interrupts = cyw43_bus_read(cyw43, CYW43_BUS, BUS_INTERRUPTS, 2);
    cyw43->faults += (interrupts & INTERRUPTS_OF_FAULTS) != 0;
    if (interrupts) {
        cyw43_bus_write(cyw43, CYW43_BUS, BUS_INTERRUPTS, 2, interrupts);
    }
}

size_t cyw43_frames_next(struct cyw43 *cyw43) {
    for (unsigned other = 0; other < MOST_OTHERS; other++) {
        switch (cyw43_take_packet(cyw43)) {
        case CYW43_NOTHING:
            return 0;
        case CYW43_TAKEN:
            break;
        case CYW43_FRAME:
            if (cyw43->frame_bytes <= CYW43_FRAMES_MOST_BYTES) {
                return cyw43->frame_bytes;
            }
            cyw43->faults++;
            cyw43_packet_end_read(cyw43);
            break;
        }
    }
    return 0;
}

void cyw43_frames_read(struct cyw43 *cyw43, uint8_t *bytes, size_t count) {
    count = count < cyw43->frame_bytes ? count : cyw43->frame_bytes;
    cyw43_packet_read(cyw43, bytes, count);
    cyw43->frame_bytes -= (uint16_t)count;
}

void cyw43_frames_finish(struct cyw43 *cyw43) {
    cyw43->frame_bytes = 0;
    cyw43_packet_end_read(cyw43);
}

bool cyw43_frames_has_room(struct cyw43 *cyw43, size_t bytes) {
    cyw43->announced_bytes = (uint16_t)bytes;
    return bytes && bytes <= CYW43_FRAMES_MOST_BYTES && cyw43_takes_packet(cyw43);
}

static void begin_frame(struct cyw43 *cyw43) {
    static const uint8_t header[FRAME_HEADER_BYTES] = {FRAME_HEADER_FLAGS};
    cyw43->frame_bytes = cyw43->announced_bytes;
    cyw43->announced_bytes = 0;
    cyw43_begin_packet(cyw43, CHANNEL_DATA, FRAME_PADDING, sizeof header + cyw43->frame_bytes);
    cyw43_packet_write(cyw43, header, sizeof header);
}

void cyw43_frames_write(struct cyw43 *cyw43, const uint8_t *bytes, size_t count) {
    if (cyw43->announced_bytes) {
        begin_frame(cyw43);
    }
    count = count < cyw43->frame_bytes ? count : cyw43->frame_bytes;
    cyw43_packet_write(cyw43, bytes, count);
    cyw43->frame_bytes -= (uint16_t)count;
}

void cyw43_frames_send(struct cyw43 *cyw43) {
    if (cyw43->announced_bytes) {
        begin_frame(cyw43);
    }
    cyw43->frame_bytes = 0;
    cyw43_packet_end_write(cyw43);
}

uint32_t cyw43_frames_faults(const struct cyw43 *cyw43) { return cyw43->faults; }

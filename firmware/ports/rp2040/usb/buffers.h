/* Buffers that the USB controller and the processor hand each other (RP2040 datasheet 4.1.2.5). A half-word is written,
 * so that the other buffer of an endpoint stays with the controller. */
#ifndef USB_BUFFERS_H
#define USB_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "registers.h"

/* The controller has it, to send what is in it or to fill it. */
static inline bool buffer_is_away(unsigned endpoint, unsigned out, unsigned buffer) {
    return (USB_BUFFER_CONTROL(endpoint, out, buffer) & USB_BUFFER_AVAILABLE) != 0;
}

/* Everything else has to be there before AVAILABLE is, in the 48 MHz of the controller too (4.1.2.5.1). */
static inline void buffer_give(unsigned endpoint, unsigned out, unsigned buffer, uint32_t control) {
    USB_BUFFER_CONTROL(endpoint, out, buffer) = (uint16_t)control;
    __asm__ volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop");
    USB_BUFFER_CONTROL(endpoint, out, buffer) = (uint16_t)(control | USB_BUFFER_AVAILABLE);
}

static inline void buffer_fill(uint32_t offset, const uint8_t *bytes, size_t count) {
    for (size_t at = 0; at < count; at++) {
        USB_DPRAM8(offset + at) = bytes[at];
    }
}

#endif

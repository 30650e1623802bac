/* Requests at endpoint 0 (USB 2.0 9.4, CDC PSTN 1.2 6.3): a setup packet, data one way or none, and an empty packet the
 * other way. One buffer serves both ways, as only one of them is under way. */
#include "usb/control.h"

#include "usb/buffers.h"
#include "usb/descriptors.h"

enum {
    GET_STATUS = 0,
    CLEAR_FEATURE = 1,
    SET_FEATURE = 3,
    SET_ADDRESS = 5,
    GET_DESCRIPTOR = 6,
    GET_CONFIGURATION = 8,
    SET_CONFIGURATION = 9,
    SET_LINE_CODING = 0x20,
    GET_LINE_CODING = 0x21,
    SET_CONTROL_LINE_STATE = 0x22,
};
#define CLASS_REQUEST 0x20u
#define TYPE_MASK 0x60u
#define LINE_CODING_BYTES 7u
#define IN 0u
#define OUT 1u

enum stage { IDLE, SENDS, AWAITS_END, TAKES, ENDS };

static struct {
    const char *product;
    enum stage stage;
    const uint8_t *data;
    size_t left;
    bool short_packet_follows;
    bool data1;
    uint8_t address; /* from the end of the request on */
    bool is_configured, is_open;
    uint8_t line_coding[LINE_CODING_BYTES];
    uint8_t answer[2];
} control = {.line_coding = {0x00, 0xc2, 0x01, 0x00, 0, 0, 8}};

void control_start(const char *product) { control.product = product; }

bool control_is_configured(void) { return control.is_configured; }

bool control_port_is_open(void) { return control.is_configured && control.is_open; }

void control_reset(void) {
    control.stage = IDLE;
    control.address = 0;
    control.is_configured = control.is_open = false;
    USB_ADDR_ENDP = 0;
}

static void send_packet(void) {
    size_t count = control.left < USB_PACKET_BYTES ? control.left : USB_PACKET_BYTES;
    buffer_fill(USB_ENDPOINT0_BUFFER, control.data, count);
    buffer_give(0, IN, 0, USB_BUFFER_FULL | (control.data1 ? USB_BUFFER_DATA1 : 0) | (uint32_t)count);
    control.data += count;
    control.left -= count;
    control.short_packet_follows = control.short_packet_follows && count == USB_PACKET_BYTES;
    control.data1 = !control.data1;
}

/* Sends what the host asked for, no more than it wants. What ends short of that ends with a short packet. */
static void send(const uint8_t *bytes, size_t count, size_t wanted) {
    control.stage = SENDS;
    control.data = bytes;
    control.left = count < wanted ? count : wanted;
    control.short_packet_follows = count < wanted;
    control.data1 = true;
    send_packet();
}

static void acknowledge(void) {
    control.stage = ENDS;
    buffer_give(0, IN, 0, USB_BUFFER_FULL | USB_BUFFER_DATA1);
}

static void refuse(void) {
    control.stage = IDLE;
    USB_EP_STALL_ARM = USB_EP_STALL_ARM_BOTH;
    USB_BUFFER_CONTROL(0, IN, 0) = USB_BUFFER_STALL;
    USB_BUFFER_CONTROL(0, OUT, 0) = USB_BUFFER_STALL;
}

static void class_request(uint8_t request, uint16_t value, uint16_t length) {
    switch (request) {
    case SET_LINE_CODING:
        control.stage = TAKES;
        buffer_give(0, OUT, 0, USB_BUFFER_DATA1 | USB_PACKET_BYTES);
        break;
    case GET_LINE_CODING:
        send(control.line_coding, LINE_CODING_BYTES, length);
        break;
    case SET_CONTROL_LINE_STATE:
        control.is_open = value & 1u;
        acknowledge();
        break;
    default:
        refuse();
    }
}

static void standard_request(uint8_t request, uint16_t value, uint16_t length) {
    size_t count = 0;
    const uint8_t *descriptor;
    control.answer[0] = control.answer[1] = 0;
    switch (request) {
    case GET_DESCRIPTOR:
        descriptor = usb_descriptor((uint8_t)(value >> 8), (uint8_t)value, control.product, &count);
        if (descriptor) {
            send(descriptor, count, length);
        } else {
            refuse();
        }
        break;
    case GET_STATUS:
        send(control.answer, 2, length);
        break;
    case GET_CONFIGURATION:
        control.answer[0] = control.is_configured;
        send(control.answer, 1, length);
        break;
    case SET_ADDRESS:
        control.address = (uint8_t)(value & 0x7fu);
        acknowledge();
        break;
    case SET_CONFIGURATION:
        control.is_configured = value != 0;
        bulk_reset();
        acknowledge();
        break;
    case CLEAR_FEATURE: /* of halted endpoints and of waking the host, neither of which there is */
    case SET_FEATURE:
        acknowledge();
        break;
    default:
        refuse();
    }
}

void control_setup(void) {
    uint8_t setup[8];
    for (unsigned at = 0; at < sizeof setup; at++) {
        setup[at] = USB_DPRAM8(at);
    }
    USB_BUFFER_CONTROL(0, IN, 0) = 0;
    USB_BUFFER_CONTROL(0, OUT, 0) = 0;
    uint16_t value = (uint16_t)(setup[2] | setup[3] << 8), length = (uint16_t)(setup[6] | setup[7] << 8);
    if ((setup[0] & TYPE_MASK) == CLASS_REQUEST) {
        class_request(setup[1], value, length);
    } else if ((setup[0] & TYPE_MASK) == 0) {
        standard_request(setup[1], value, length);
    } else {
        refuse();
    }
}

static void take_line_coding(void) {
    if ((USB_BUFFER_CONTROL(0, OUT, 0) & USB_BUFFER_LENGTH) >= LINE_CODING_BYTES) {
        for (unsigned at = 0; at < LINE_CODING_BYTES; at++) {
            control.line_coding[at] = USB_DPRAM8(USB_ENDPOINT0_BUFFER + at);
        }
    }
}

void control_poll(void) {
    if (control.stage == SENDS && !buffer_is_away(0, IN, 0)) {
        if (control.left || control.short_packet_follows) {
            send_packet();
        } else {
            control.stage = AWAITS_END;
            buffer_give(0, OUT, 0, USB_BUFFER_DATA1 | USB_PACKET_BYTES);
        }
    } else if (control.stage == TAKES && !buffer_is_away(0, OUT, 0)) {
        take_line_coding();
        acknowledge();
    } else if (control.stage == ENDS && !buffer_is_away(0, IN, 0)) {
        control.stage = IDLE;
        if (control.address) {
            USB_ADDR_ENDP = control.address;
            control.address = 0;
        }
    } else if (control.stage == AWAITS_END && !buffer_is_away(0, OUT, 0)) {
        control.stage = IDLE;
    }
}

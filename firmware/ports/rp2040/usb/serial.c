/* The serial port: the controller, and the bulk endpoints that carry its bytes, two buffers towards the host so that
 * one is filled while the other is sent. */
#include "usb_serial.h"

#include "clock_sources.h"
#include "resets.h"
#include "usb/buffers.h"
#include "usb/control.h"
#include "usb/descriptors.h"

#define RING_BYTES 16384u /* a power of two */
#define TYPE_BULK 2u
#define TYPE_INTERRUPT 3u
#define IN 0u
#define OUT 1u
/* In the controller's memory, in steps of 64 bytes. */
#define IN_BUFFERS 0x180u
#define OUT_BUFFER 0x200u
#define NOTIFICATION_BUFFER 0x240u
#define DPRAM_BYTES 4096u

static struct {
    uint32_t put, got;
    uint8_t bytes[RING_BYTES];
} waiting;

static struct {
    unsigned in_buffer;
    bool in_data1, out_data1;
    bool in_restarts; /* the controller is to begin with buffer 0 again */
    size_t out_at;    /* how much of the packet in OUT_BUFFER was read */
    bool is_ready;
} bulk;

static void listen(void) {
    bulk.out_at = 0;
    buffer_give(DATA_ENDPOINT, OUT, 0, (bulk.out_data1 ? USB_BUFFER_DATA1 : 0) | USB_PACKET_BYTES);
}

void bulk_reset(void) {
    bulk.in_buffer = 0;
    bulk.in_data1 = bulk.out_data1 = false;
    bulk.in_restarts = true;
    waiting.got = waiting.put;
    USB_BUFFER_CONTROL(DATA_ENDPOINT, IN, 0) = USB_BUFFER_CONTROL(DATA_ENDPOINT, IN, 1) = 0;
    USB_ENDPOINT_CONTROL(NOTIFICATION_ENDPOINT, IN) =
        USB_ENDPOINT_ENABLE | USB_ENDPOINT_TYPE(TYPE_INTERRUPT) | NOTIFICATION_BUFFER;
    USB_ENDPOINT_CONTROL(DATA_ENDPOINT, IN) =
        USB_ENDPOINT_ENABLE | USB_ENDPOINT_DOUBLE | USB_ENDPOINT_TYPE(TYPE_BULK) | IN_BUFFERS;
    USB_ENDPOINT_CONTROL(DATA_ENDPOINT, OUT) = USB_ENDPOINT_ENABLE | USB_ENDPOINT_TYPE(TYPE_BULK) | OUT_BUFFER;
    listen();
    bulk.is_ready = true;
}

void usb_serial_start(const char *product) {
    resets_release(RESET_PLL_USB);
    clk_usb_from_pll();
    RESETS_RESET_SET = RESET_USBCTRL;
    resets_release(RESET_USBCTRL);
    for (uint32_t offset = 0; offset < DPRAM_BYTES; offset += 4) {
        REGISTER(USB_DPRAM_BASE + offset) = 0;
    }
    control_start(product);
    USB_MUXING = USB_MUXING_TO_PHY | USB_MUXING_SOFTCON;
    USB_PWR = USB_PWR_VBUS_DETECT | USB_PWR_VBUS_DETECT_OVERRIDE_EN;
    USB_MAIN_CTRL = USB_MAIN_CTRL_CONTROLLER_EN;
    USB_SIE_CTRL = USB_SIE_CTRL_PULLUP_EN;
}

static void send_packet(void) {
    uint32_t count = waiting.put - waiting.got;
    count = count < USB_PACKET_BYTES ? count : USB_PACKET_BYTES;
    uint32_t offset = IN_BUFFERS + USB_PACKET_BYTES * bulk.in_buffer;
    for (uint32_t at = 0; at < count; at++) {
        USB_DPRAM8(offset + at) = waiting.bytes[waiting.got++ % RING_BYTES];
    }
    buffer_give(DATA_ENDPOINT, IN, bulk.in_buffer,
                USB_BUFFER_FULL | (bulk.in_data1 ? USB_BUFFER_DATA1 : 0) | (bulk.in_restarts ? USB_BUFFER_RESTART : 0) |
                    count);
    bulk.in_restarts = false;
    bulk.in_data1 = !bulk.in_data1;
    bulk.in_buffer ^= 1u;
}

void usb_serial_poll(void) {
    uint32_t status = USB_SIE_STATUS;
    if (status & USB_SIE_STATUS_BUS_RESET) {
        USB_SIE_STATUS = USB_SIE_STATUS_BUS_RESET;
        bulk.is_ready = false;
        control_reset();
    }
    if (status & USB_SIE_STATUS_SETUP_REC) {
        USB_SIE_STATUS = USB_SIE_STATUS_SETUP_REC;
        control_setup();
    }
    control_poll();
    for (unsigned buffer = 0; buffer < 2 && bulk.is_ready; buffer++) {
        if (waiting.put == waiting.got || buffer_is_away(DATA_ENDPOINT, IN, bulk.in_buffer)) {
            break;
        }
        send_packet();
    }
}

bool usb_serial_is_open(void) { return control_port_is_open(); }

size_t usb_serial_room(void) { return RING_BYTES - (waiting.put - waiting.got); }

size_t usb_serial_write(const uint8_t *bytes, size_t count) {
    size_t taken = usb_serial_room();
    taken = taken < count ? taken : count;
    for (size_t at = 0; at < taken; at++) {
        waiting.bytes[waiting.put++ % RING_BYTES] = bytes[at];
    }
    return taken;
}

size_t usb_serial_read(uint8_t *bytes, size_t capacity) {
    size_t count = 0;
    if (!bulk.is_ready || buffer_is_away(DATA_ENDPOINT, OUT, 0)) {
        return 0;
    }
    size_t received = USB_BUFFER_CONTROL(DATA_ENDPOINT, OUT, 0) & USB_BUFFER_LENGTH;
    while (count < capacity && bulk.out_at < received) {
        bytes[count++] = USB_DPRAM8(OUT_BUFFER + bulk.out_at++);
    }
    if (bulk.out_at >= received) {
        bulk.out_data1 = !bulk.out_data1;
        listen();
    }
    return count;
}

/* Descriptors of a device with one serial port. Vendor and product are those that the Pico SDK gives to its serial port
 * over USB, so that hosts which know that one know this one too. Other firmware has them as well: what tells a device
 * apart is its product string. */
#include "usb/descriptors.h"

#define WORD(value) (uint8_t)((value) & 0xffu), (uint8_t)((value) >> 8)
#define VENDOR 0x2e8a
#define PRODUCT 0x000a
#define IN 0x80u
#define BULK 2u
#define INTERRUPT 3u
#define CONFIGURATION_BYTES 67u
#define STRING_BYTES 64u

static const uint8_t device[] = {
    18,           DESCRIPTOR_DEVICE,   WORD(0x0200),   2, 0, 0, USB_PACKET_BYTES, WORD(VENDOR), WORD(PRODUCT),
    WORD(0x0100), STRING_MANUFACTURER, STRING_PRODUCT, 0, 1,
};

/* Communications interface 0 with its notifications, data interface 1; 250 mA from the bus. */
static const uint8_t configuration[] = {
    9,
    DESCRIPTOR_CONFIGURATION,
    WORD(CONFIGURATION_BYTES),
    2,
    1,
    0,
    0x80,
    125,
    9,
    4,
    0,
    0,
    1,
    2,
    2,
    1,
    0,
    5,
    0x24,
    0,
    WORD(0x0110),
    5,
    0x24,
    1,
    0,
    1,
    4,
    0x24,
    2,
    2,
    5,
    0x24,
    6,
    0,
    1,
    7,
    5,
    IN | NOTIFICATION_ENDPOINT,
    INTERRUPT,
    WORD(8),
    16,
    9,
    4,
    1,
    0,
    2,
    10,
    0,
    0,
    0,
    7,
    5,
    DATA_ENDPOINT,
    BULK,
    WORD(USB_PACKET_BYTES),
    0,
    7,
    5,
    IN | DATA_ENDPOINT,
    BULK,
    WORD(USB_PACKET_BYTES),
    0,
};
_Static_assert(sizeof configuration == CONFIGURATION_BYTES, "the configuration says how long it is");

static const uint8_t languages[] = {4, DESCRIPTOR_STRING, WORD(0x0409)};

static const uint8_t *string(const char *text, size_t *bytes) {
    static uint8_t descriptor[STRING_BYTES];
    size_t count = 2;
    for (; *text && count + 2 <= STRING_BYTES; text++) {
        descriptor[count++] = (uint8_t)*text;
        descriptor[count++] = 0;
    }
    descriptor[0] = (uint8_t)count;
    descriptor[1] = DESCRIPTOR_STRING;
    *bytes = count;
    return descriptor;
}

static const uint8_t *constant(const uint8_t *descriptor, size_t count, size_t *bytes) {
    *bytes = count;
    return descriptor;
}

const uint8_t *usb_descriptor(uint8_t kind, uint8_t number, const char *product, size_t *bytes) {
    switch (kind) {
    case DESCRIPTOR_DEVICE:
        return constant(device, sizeof device, bytes);
    case DESCRIPTOR_CONFIGURATION:
        return constant(configuration, sizeof configuration, bytes);
    case DESCRIPTOR_STRING:
        if (number == 0) {
            return constant(languages, sizeof languages, bytes);
        }
        return number == STRING_MANUFACTURER ? string("Airwire", bytes)
               : number == STRING_PRODUCT    ? string(product, bytes)
                                             : 0;
    default:
        return 0;
    }
}

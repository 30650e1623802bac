/* What the serial port tells the host of itself (USB 2.0 chapter 9, CDC 1.2, PSTN 1.2). */
#ifndef USB_DESCRIPTORS_H
#define USB_DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>

#define USB_PACKET_BYTES 64u
#define NOTIFICATION_ENDPOINT 1u
#define DATA_ENDPOINT 2u

enum { DESCRIPTOR_DEVICE = 1, DESCRIPTOR_CONFIGURATION = 2, DESCRIPTOR_STRING = 3 };
enum { STRING_MANUFACTURER = 1, STRING_PRODUCT = 2 };

/* The descriptor of a kind and number, and how many bytes it has; null where there is none. A string is made anew with
 * each call. */
const uint8_t *usb_descriptor(uint8_t kind, uint8_t number, const char *product, size_t *bytes);

#endif

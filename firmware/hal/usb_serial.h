/* A serial port over USB (CDC ACM). Nothing happens by interrupts: usb_serial_poll() answers the host, and has to be
 * called every few milliseconds. */
#ifndef HAL_USB_SERIAL_H
#define HAL_USB_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `product` is what the host shows; it stays where it is. */
void usb_serial_start(const char *product);
void usb_serial_poll(void);
/* Whether a program on the host has opened the port (DTR). */
bool usb_serial_is_open(void);
/* For how many bytes usb_serial_write() has room. */
size_t usb_serial_room(void);
/* How many of the bytes found room; the rest is for later. */
size_t usb_serial_write(const uint8_t *bytes, size_t count);
/* How many bytes had come in, at most `capacity`. The host waits with what finds no room. */
size_t usb_serial_read(uint8_t *bytes, size_t capacity);

#endif

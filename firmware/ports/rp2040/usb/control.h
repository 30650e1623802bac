/* Endpoint 0: the host finds out what the device is, gives it an address and opens its port. */
#ifndef USB_CONTROL_H
#define USB_CONTROL_H

#include <stdbool.h>

void control_start(const char *product);
/* A packet of the host's that begins a request. */
void control_setup(void);
/* What became of packets under way. */
void control_poll(void);
/* The bus was reset. */
void control_reset(void);
bool control_is_configured(void);
/* Data terminal ready: a program has opened the port. */
bool control_port_is_open(void);
/* The data endpoints begin anew. */
void bulk_reset(void);

#endif

/* The web server, for applications that have it: they start it, and call its tick as an application's. */
#ifndef PAGES_H
#define PAGES_H

#include <stdint.h>

/* Listens on as many connections as the transport has left. */
void pages_start(void);
uint32_t pages_tick(uint32_t now_ms);

#endif

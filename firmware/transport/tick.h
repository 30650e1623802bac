/* When the application is called next: `tick` of network.h, by whichever loop the image has. */
#ifndef TICK_H
#define TICK_H

#include <stdbool.h>
#include <stdint.h>

struct application;

/* The application starts: it is called at once. */
void tick_begin(void);
/* How long until it is to be called, 0 for now; at most `limit_ms`, and that before it has started. */
uint32_t tick_wait_ms(uint32_t limit_ms);
/* What ends the loop's wait when an interrupt handler has it called; for loops whose wait no interrupt ends. */
void tick_set_waker(void (*wake)(void));
/* Calls it if its time has come. Whether it did. */
bool tick_call_if_due(const struct application *application);

#endif

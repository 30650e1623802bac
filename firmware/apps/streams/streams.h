/* The services of this application. Each begins to listen; false when there is no room for one more port. */
#ifndef STREAMS_H
#define STREAMS_H

#include <stdbool.h>
#include <stdint.h>

enum service { SERVE_SINK = 1, SERVE_SOURCE = 2, SERVE_ECHO = 4, SERVE_ECHO_DATAGRAMS = 8 };

bool sink_start(void);
bool source_start(void);
uint32_t source_tick(uint32_t now_ms);
bool echo_start(void);
bool echo_datagrams_start(void);

/* As many connections as any transport takes at a time. */
#define MOST_CONNECTIONS 16u

#endif

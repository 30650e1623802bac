/* The services of this application. Each begins to listen; false when there is no room for one more port. Then its
 * connections are given up on which nothing has moved for `limit_ms`. */
#ifndef STREAMS_H
#define STREAMS_H

#include <stdbool.h>
#include <stdint.h>

enum service { SERVE_SINK = 1, SERVE_SOURCE = 2, SERVE_ECHO = 4, SERVE_ECHO_DATAGRAMS = 8 };

/* All that the settings ask for; the tick is an application's. */
void services_start(void);
uint32_t services_tick(uint32_t now_ms);

bool sink_start(void);
void sink_drop_quiet(uint32_t now_ms, uint32_t limit_ms);
bool source_start(void);
/* Goes on with what did not fit into one turn. */
void source_tick(void);
void source_drop_quiet(uint32_t now_ms, uint32_t limit_ms);
bool echo_start(void);
void echo_drop_quiet(uint32_t now_ms, uint32_t limit_ms);
bool echo_datagrams_start(void);

/* Whether nothing has moved for so long; what moved after `now_ms` was read has moved. */
static inline bool is_quiet(uint32_t now_ms, uint32_t moved_ms, uint32_t limit_ms) {
    return (int32_t)(now_ms - moved_ms) >= (int32_t)limit_ms;
}

/* As many connections as any transport takes at a time. */
#define MOST_CONNECTIONS 16u

#endif

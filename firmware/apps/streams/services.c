/* Which of the services listen is a setting, as hardware sockets are few. */
#include "console.h"
#include "network.h"
#include "settings.h"
#include "streams.h"

SETTING(services, SERVE_SINK | SERVE_SOURCE | SERVE_ECHO | SERVE_ECHO_DATAGRAMS,
        "any of sink|source|echo|echo_datagrams", "which services listen, as hardware sockets are few");
SETTING(quiet_limit_s, 60, "s 0..4000000",
        "a connection on which nothing has moved for so long is given up, as its peer may be gone without a word; 0 "
        "for never");

#define LOOK_MS 1000u

static void start_one(enum service service, bool (*start)(void), const char *name) {
    if ((setting_services & service) && !start()) {
        console_text("error: there is no room to listen for ");
        console_text(name);
        console_text(": choose fewer services by the setting `services`\n");
    }
}

void services_start(void) {
    start_one(SERVE_SINK, sink_start, "the sink");
    start_one(SERVE_SOURCE, source_start, "the source");
    start_one(SERVE_ECHO, echo_start, "the echo");
    start_one(SERVE_ECHO_DATAGRAMS, echo_datagrams_start, "the echo of datagrams");
}

uint32_t services_tick(uint32_t now_ms) {
    static uint32_t looked_ms;
    source_tick();
    if (!setting_quiet_limit_s) {
        return NETWORK_NEVER;
    }
    if (now_ms - looked_ms >= LOOK_MS) {
        looked_ms = now_ms;
        uint32_t limit_ms = setting_quiet_limit_s * 1000u;
        sink_drop_quiet(now_ms, limit_ms);
        source_drop_quiet(now_ms, limit_ms);
        echo_drop_quiet(now_ms, limit_ms);
    }
    return LOOK_MS;
}

/* Streams to measure a board by: a sink (discard, RFC 863), a source (as chargen, RFC 864) and an echo (RFC 862), in
 * one image. Each is a file; which of them listen is a setting, as hardware sockets are few. */
#include "streams.h"

#include "console.h"
#include "network.h"
#include "settings.h"

/* An or of enum service. */
SETTING(services, SERVE_SINK | SERVE_SOURCE | SERVE_ECHO | SERVE_ECHO_DATAGRAMS);

static void start_one(enum service service, bool (*start)(void), const char *name) {
    if ((setting_services & service) && !start()) {
        console_text("error: there is no room to listen for ");
        console_text(name);
        console_text(": choose fewer services by the setting `services`\n");
    }
}

static void start(void) {
    start_one(SERVE_SINK, sink_start, "the sink");
    start_one(SERVE_SOURCE, source_start, "the source");
    start_one(SERVE_ECHO, echo_start, "the echo");
    start_one(SERVE_ECHO_DATAGRAMS, echo_datagrams_start, "the echo of datagrams");
}

const struct application application = {"Sink, source and echo", start, source_tick};

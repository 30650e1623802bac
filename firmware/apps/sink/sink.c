/* Nothing but the sink of apps/streams, which needs two connections of lwIP: for its options as they come. */
#include "../streams/streams.h"
#include "application.h"
#include "console.h"
#include "network.h"

static void start(void) {
    if (!sink_start()) {
        console_text("error: there is no room to listen for the sink\n");
    }
}

const struct application application = {"Sink", start, 0};

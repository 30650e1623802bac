/* Everything at once: the web server, sink, source and echo, beside the ping that every transport answers. It is what a
 * board is soaked with. '?' on the console asks for the pools. */
#include "application.h"
#include "clock.h"
#include "console.h"
#include "network.h"
#include "pages.h"
#include "pools.h"
#include "streams.h"
#ifdef WITH_FAULTS
#include "faults.h"
#endif

static void start(void) {
    services_start();
    pages_start();
}

static void answer_console(void) {
    for (int character; (character = console_get()) >= 0;) {
        if (character == '?') {
            console_named("clock ms", clock_ms());
            pools_report();
            console_text("that is all\n");
        }
    }
}

static uint32_t tick(uint32_t now_ms) {
    uint32_t services_ms = services_tick(now_ms), pages_ms = pages_tick(now_ms);
#ifdef WITH_FAULTS
    faults_tick(now_ms);
#endif
    answer_console();
    return services_ms < pages_ms ? services_ms : pages_ms;
}

const struct application application = {"Mixed server", start, tick};

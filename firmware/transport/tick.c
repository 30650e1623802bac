/* Implementation of tick.h, and network_call_soon(), which interrupt handlers may call. */
#include "tick.h"

#include "clock.h"
#include "network.h"

static volatile bool is_wanted;
static bool comes_again;
static uint32_t at_ms;
static void (*waker)(void);

void tick_begin(void) {
    comes_again = true;
    at_ms = clock_ms();
}

void tick_set_waker(void (*wake)(void)) { waker = wake; }

void network_call_soon(void) {
    is_wanted = true;
    if (waker) {
        waker();
    }
}

uint32_t tick_wait_ms(uint32_t limit_ms) {
    uint32_t left_ms = at_ms - clock_ms();
    if (is_wanted || (comes_again && (int32_t)left_ms <= 0)) {
        return 0;
    }
    return comes_again && left_ms < limit_ms ? left_ms : limit_ms;
}

bool tick_call_if_due(const struct application *application) {
    if (tick_wait_ms(1)) {
        return false;
    }
    is_wanted = false;
    uint32_t now_ms = clock_ms();
    uint32_t wait_ms = application->tick ? application->tick(now_ms) : NETWORK_NEVER;
    at_ms = now_ms + (wait_ms < INT32_MAX ? wait_ms : INT32_MAX);
    comes_again = wait_ms != NETWORK_NEVER;
    return true;
}

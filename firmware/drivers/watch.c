/* Implementation of watch.h. The handler masks the pin while its level stands, and the next look at it unmasks it. */
#include "watch.h"

#include "board.h"
#include "clock.h"
#include "gpio.h"
#ifdef BOARD_CYW43439
#include "gspi.h"
#elif defined(BOARD_LAN8720)
#include "rmii_mac.h"
#include "rmii_wake.h"
#endif

static bool uses_pin, keeps_raster;
static uint32_t period_us, last_poll_us;
static void (*wake)(void);

static void tell(void) {
    if (wake) {
        wake();
    }
}

/* A radio's line of data is its interrupt, high while it wants to be looked at. */
#ifdef BOARD_CYW43439
static bool pin_start(void) { return gspi_on_call(tell); }
static bool pin_is_active(void) { return gspi_is_calling(); }
static void pin_unmask(void) { gspi_watch(); }
/* The end of each frame calls. */
#elif defined(BOARD_LAN8720)
static bool pin_start(void) { return rmii_on_frame(tell); }
static bool pin_is_active(void) { return rmii_mac_has_frame(); }
static void pin_unmask(void) {}
#else
static void pin_is_low(void) {
    gpio_mask(BOARD_NETWORK_INTN);
    tell();
}

static bool pin_start(void) {
    gpio_input(BOARD_NETWORK_INTN, GPIO_PULLED_UP);
    return gpio_on(BOARD_NETWORK_INTN, GPIO_LOW, pin_is_low);
}

static bool pin_is_active(void) { return !gpio_get(BOARD_NETWORK_INTN); }
static void pin_unmask(void) { gpio_unmask(BOARD_NETWORK_INTN); }
#endif

void watch_start(bool use_interrupt_pin, uint32_t poll_us, bool on_raster) {
    keeps_raster = on_raster;
    period_us = poll_us;
    last_poll_us = clock_us();
    if (use_interrupt_pin) {
        uses_pin = pin_start();
    }
}

bool watch_has_pin(void) { return uses_pin; }

bool watch_is_calling(void) {
    if (uses_pin) {
        return pin_is_active();
    }
    if (!period_us) {
        return true;
    }
    uint32_t gone_us = clock_us() - last_poll_us;
    if (gone_us < period_us) {
        return false;
    }
    if (!keeps_raster) {
        last_poll_us += gone_us;
        return true;
    }
    /* Polls that were missed are left out. */
    last_poll_us += gone_us < 2 * period_us ? period_us : gone_us - gone_us % period_us;
    return true;
}

void watch_look_soon(void) {
    if (!keeps_raster) {
        last_poll_us = clock_us() - period_us;
    }
}

uint32_t watch_quiet_us(uint32_t limit_us) {
    if (uses_pin) {
        pin_unmask();
        return limit_us;
    }
    uint32_t gone_us = clock_us() - last_poll_us;
    uint32_t left_us = gone_us < period_us ? period_us - gone_us : 0;
    return left_us < limit_us ? left_us : limit_us;
}

void watch_set_waker(void (*waker)(void)) { wake = waker; }

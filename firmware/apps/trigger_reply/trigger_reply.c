/* The device under test of a bench that tests itself: a trigger goes in at one pin, and after a time done comes out at
 * another, by interrupts. Done falls with the trigger. */
#include "clock.h"
#include "gpio.h"
#include "settings.h"

SETTING(trigger_pin, 2, "pin 0..29", "where the trigger comes in");
SETTING(done_pin, 3, "pin 0..29", "where done goes out");
SETTING(reply_us, 0, "us 0..1000", "how long done waits after the trigger");
SETTING(reply_spread_us, 0, "us 0..1000", "up to how much longer it waits, in steps of 1 us by a generator of its own");

static uint32_t spread_us(void) {
    static uint32_t random = 1;
    random = random * 1664525u + 1013904223u; /* Numerical Recipes, 7.1 */
    return (uint32_t)((uint64_t)random * (setting_reply_spread_us + 1u) >> 32);
}

static void reply(void) {
    if (!gpio_get(setting_trigger_pin)) {
        gpio_put(setting_done_pin, false);
        return;
    }
    uint32_t from = clock_us(), wait_us = setting_reply_us + spread_us();
    while (!clock_is_over(from, wait_us)) {
    }
    gpio_put(setting_done_pin, true);
}

int main(void) {
    clock_start();
    gpio_input(setting_trigger_pin, GPIO_PULLED_DOWN);
    gpio_output(setting_done_pin, false);
    gpio_on(setting_trigger_pin, GPIO_RISING | GPIO_FALLING, reply);
    for (;;) {
        __asm__ volatile("wfi");
    }
}

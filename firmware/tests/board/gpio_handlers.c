/* Handlers of pins on the board: as many as the port has room for are called, one more is refused, and a pin that has
 * one already may get another. Pins that nothing drives are outputs here, whose own edges raise their interrupts. */
#include "clock.h"
#include "console.h"
#include "gpio.h"

#define FIRST_PIN 2u
#define PINS 5u

static uint32_t calls, calls_of_another;

static void count_call(void) { calls++; }

static void count_call_of_another(void) { calls_of_another++; }

int main(void) {
    uint32_t taken = 0, refused = 0;
    clock_start();
    console_start(115200);
    for (unsigned pin = FIRST_PIN; pin < FIRST_PIN + PINS; pin++) {
        gpio_output(pin, false);
        if (gpio_on(pin, GPIO_RISING, count_call)) {
            taken++;
        } else {
            refused++;
        }
    }
    bool is_replaced = gpio_on(FIRST_PIN, GPIO_RISING, count_call_of_another);
    for (unsigned pin = FIRST_PIN; pin < FIRST_PIN + PINS; pin++) {
        gpio_put(pin, true);
        clock_sleep(10);
    }
    console_named("taken", taken);
    console_named("refused", refused);
    console_named("replaced", is_replaced);
    console_named("calls", calls);
    console_named("calls of another", calls_of_another);
    console_text("done\n");
    for (;;) {
        clock_sleep(1000000);
    }
}

/* Pins of a PC: levels in memory. Inputs follow the file that AIRWIRE_PINS names, a FIFO: "2+" raises pin 2, "2-"
 * lowers it; each output that changes is written to the console the same way, as "pin 3+". */
#define _POSIX_C_SOURCE 200809L
#include "gpio.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "console.h"
#include "host.h"

#define PINS 30u

static struct {
    bool level, is_output;
    unsigned events;
    void (*handler)(void);
} pins[PINS];
static int inputs = -1;
static unsigned number;

void gpio_output(unsigned pin, bool level) {
    if (pin < PINS) {
        pins[pin].is_output = true;
        pins[pin].level = level;
    }
}

void gpio_input(unsigned pin, enum gpio_pull pull) {
    if (pin < PINS) {
        pins[pin].is_output = false;
        pins[pin].level = pull == GPIO_PULLED_UP;
    }
}

void gpio_put(unsigned pin, bool level) {
    if (pin >= PINS || pins[pin].level == level) {
        return;
    }
    pins[pin].level = level;
    console_text("pin ");
    console_number(pin);
    console_text(level ? "+\n" : "-\n");
}

bool gpio_get(unsigned pin) { return pin < PINS && pins[pin].level; }

bool gpio_on(unsigned pin, unsigned events, void (*handler)(void)) {
    if (pin >= PINS) {
        return false;
    }
    pins[pin].events = events;
    pins[pin].handler = handler;
    return true;
}

void gpio_mask(unsigned pin) { (void)pin; }

void gpio_unmask(unsigned pin) { (void)pin; }

static void drive(unsigned pin, bool level) {
    if (pin >= PINS || pins[pin].is_output || pins[pin].level == level) {
        return;
    }
    pins[pin].level = level;
    if (pins[pin].handler && (pins[pin].events & (level ? GPIO_RISING : GPIO_FALLING))) {
        pins[pin].handler();
    }
}

int host_pins_open(void) {
    const char *path = getenv("AIRWIRE_PINS");
    inputs = path ? open(path, O_RDWR | O_NONBLOCK) : -1;
    return inputs;
}

void host_pins_read(void) {
    char text[64];
    ssize_t count = read(inputs, text, sizeof text);
    for (ssize_t at = 0; at < count; at++) {
        if (text[at] >= '0' && text[at] <= '9') {
            number = (number * 10 + (unsigned)(text[at] - '0')) % 100;
        } else {
            if (text[at] == '+' || text[at] == '-') {
                drive(number, text[at] == '+');
            }
            number = 0;
        }
    }
}

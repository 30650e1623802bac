/* Pins by SIO, their interrupts by IO_BANK0. */
#include "gpio.h"

#include "interrupt.h"
#include "pads.h"

#define HANDLERS 4u

static struct {
    void (*call)(void);
    uint8_t pin, events;
} handlers[HANDLERS];

void gpio_output(unsigned pin, bool level) {
    gpio_put(pin, level);
    SIO_GPIO_OE_SET = 1u << pin;
    pad_function(pin, FUNCTION_SIO, 0);
}

void gpio_input(unsigned pin, enum gpio_pull pull) {
    SIO_GPIO_OE_CLR = 1u << pin;
    pad_function(pin, FUNCTION_SIO, pull == GPIO_PULLED_UP ? PAD_PUE : pull == GPIO_PULLED_DOWN ? PAD_PDE : 0);
}

void gpio_put(unsigned pin, bool level) {
    if (level) {
        SIO_GPIO_OUT_SET = 1u << pin;
    } else {
        SIO_GPIO_OUT_CLR = 1u << pin;
    }
}

bool gpio_get(unsigned pin) { return SIO_GPIO_IN >> pin & 1u; }

static void enable(unsigned pin, uint32_t events) {
    uint32_t held = interrupts_hold(), shift = 4u * (pin % 8u);
    IO_BANK0_PROC0_INTE(pin) = (IO_BANK0_PROC0_INTE(pin) & ~(15u << shift)) | events << shift;
    interrupts_release(held);
}

bool gpio_on(unsigned pin, unsigned events, void (*handler)(void)) {
    for (unsigned slot = 0; slot < HANDLERS; slot++) {
        if (!handlers[slot].call || handlers[slot].pin == pin) {
            handlers[slot].pin = (uint8_t)pin;
            handlers[slot].events = (uint8_t)events;
            handlers[slot].call = handler;
            enable(pin, events);
            NVIC_ISER = 1u << IO_IRQ_BANK0;
            return true;
        }
    }
    return false;
}

void gpio_mask(unsigned pin) { enable(pin, 0); }

void gpio_unmask(unsigned pin) {
    for (unsigned slot = 0; slot < HANDLERS; slot++) {
        if (handlers[slot].call && handlers[slot].pin == pin) {
            enable(pin, handlers[slot].events);
        }
    }
}

void io_irq_bank0_handler(void) {
    for (unsigned slot = 0; slot < HANDLERS && handlers[slot].call; slot++) {
        unsigned pin = handlers[slot].pin;
        uint32_t events = IO_BANK0_PROC0_INTS(pin) >> 4u * (pin % 8u) & 15u;
        if (events) {
            IO_BANK0_INTR(pin) = events << 4u * (pin % 8u); /* edges are latched, levels are not */
            handlers[slot].call();
        }
    }
}

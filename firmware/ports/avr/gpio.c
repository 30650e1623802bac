/* Pins, and two of those interrupts that tell of levels: the others of the chip tell of changes alone. */
#include "gpio.h"

#include <avr/interrupt.h>

#include "pins.h"

#define SLOTS 2u
#define NO_SLOT SLOTS

static void (*handlers[SLOTS])(void);

/* In two steps, so that the names of both vectors are known. */
#define HANDLE(first, second)                                                                                          \
    ISR(first) { handlers[0](); }                                                                                      \
    ISR(second) { handlers[1](); }
#define HANDLE_BOTH(vectors) HANDLE(vectors)
HANDLE_BOTH(INTERRUPT_VECTORS)

void gpio_output(unsigned pin, bool level) {
    gpio_put(pin, level);
    uint8_t held = SREG;
    cli();
    PIN_DDR(pin) |= PIN_BIT(pin);
    SREG = held;
}

/* There are no resistors to ground: a pin that is to be pulled down floats. */
void gpio_input(unsigned pin, enum gpio_pull pull) {
    uint8_t held = SREG;
    cli();
    PIN_DDR(pin) &= (uint8_t)~PIN_BIT(pin);
    SREG = held;
    gpio_put(pin, pull == GPIO_PULLED_UP);
}

void gpio_put(unsigned pin, bool level) {
    uint8_t held = SREG;
    cli();
    if (level) {
        PIN_PORT(pin) |= PIN_BIT(pin);
    } else {
        PIN_PORT(pin) &= (uint8_t)~PIN_BIT(pin);
    }
    SREG = held;
}

bool gpio_get(unsigned pin) { return PIN_IN(pin) & PIN_BIT(pin); }

static uint8_t slot_of(unsigned pin) {
    return pin - PIN_OF_INTERRUPT < SLOTS ? (uint8_t)(pin - PIN_OF_INTERRUPT) : NO_SLOT;
}

/* ISCn1 and ISCn0 (datasheet, "EICRA"): low level, any edge, falling edge, rising edge. A high level has none. */
bool gpio_on(unsigned pin, unsigned events, void (*handler)(void)) {
    uint8_t slot = slot_of(pin);
    if (slot == NO_SLOT || events & GPIO_HIGH || (events & GPIO_LOW && events != GPIO_LOW)) {
        return false;
    }
    uint8_t sense = events == GPIO_LOW ? 0 : events == GPIO_FALLING ? 2 : events == GPIO_RISING ? 3 : 1;
    handlers[slot] = handler;
    INTERRUPT_CONTROL = (uint8_t)((INTERRUPT_CONTROL & ~(3u << 2 * slot)) | sense << 2 * slot);
    gpio_unmask(pin);
    return true;
}

void gpio_mask(unsigned pin) {
    uint8_t slot = slot_of(pin);
    if (slot != NO_SLOT) {
        EIMSK &= (uint8_t)~(1u << (INTERRUPT_FIRST + slot));
    }
}

void gpio_unmask(unsigned pin) {
    uint8_t slot = slot_of(pin);
    if (slot != NO_SLOT && handlers[slot]) {
        EIMSK |= (uint8_t)(1u << (INTERRUPT_FIRST + slot));
    }
}

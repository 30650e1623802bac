/* Pins by their GPIO number. */
#ifndef HAL_GPIO_H
#define HAL_GPIO_H

#include <stdbool.h>
#include <stdint.h>

enum gpio_pull { GPIO_FLOATING, GPIO_PULLED_UP, GPIO_PULLED_DOWN };
enum gpio_event { GPIO_LOW = 1, GPIO_HIGH = 2, GPIO_FALLING = 4, GPIO_RISING = 8 };

void gpio_output(unsigned pin, bool level);
void gpio_input(unsigned pin, enum gpio_pull pull);
void gpio_put(unsigned pin, bool level);
bool gpio_get(unsigned pin);
/* Calls `handler` in interrupt context for any of `events` (an or of gpio_event), for good or until the pin gets
 * another. A level calls it for as long as it lasts: the handler masks it with gpio_mask. False where the port has no
 * room for one pin more (the RP2040's has room for four) or no such pin: then nothing calls it. */
bool gpio_on(unsigned pin, unsigned events, void (*handler)(void));
void gpio_mask(unsigned pin);
void gpio_unmask(unsigned pin);

#endif

/* What the examples use of the Pico SDK, declared with its signatures: there some functions of pins are inline, so that
 * a driver with functions of these names does not compile beside them. */
#ifndef HARDWARE_GPIO_H
#define HARDWARE_GPIO_H

#include <stdbool.h>

#define GPIO_OUT 1
#define GPIO_IN 0

enum gpio_function { GPIO_FUNC_SPI = 1, GPIO_FUNC_SIO = 5 };
typedef enum gpio_function gpio_function_t;

void simulated_sdk_put(unsigned int gpio, bool value);
bool simulated_sdk_get(unsigned int gpio);

void gpio_init(unsigned int gpio);
void gpio_set_function(unsigned int gpio, gpio_function_t fn);
static inline void gpio_pull_up(unsigned int gpio) { (void)gpio; }
static inline void gpio_set_dir(unsigned int gpio, bool out) {
    (void)gpio;
    (void)out;
}
static inline void gpio_put(unsigned int gpio, bool value) { simulated_sdk_put(gpio, value); }
static inline bool gpio_get(unsigned int gpio) { return simulated_sdk_get(gpio); }

#endif

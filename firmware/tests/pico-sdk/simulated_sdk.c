/* Implementation of simulated_sdk.h, and of what the examples use of the Pico SDK. */
#include "simulated_sdk.h"

#include "hardware/gpio.h"
#include "hardware/spi.h"
#include "pico/stdlib.h"

#define CS 17u
#define RESET 20u

struct simulated_chip simulated_sdk_chip;
unsigned simulated_sdk_resets;
bool simulated_sdk_is_selected;
static uint64_t now_us;
static unsigned place;

uint32_t simulated_sdk_microseconds(void) { return (uint32_t)++now_us; }
void sleep_us(uint64_t us) { now_us += us; }
void sleep_ms(uint32_t ms) { now_us += 1000u * ms; }
bool stdio_init_all(void) { return true; }
void gpio_init(unsigned int gpio) { (void)gpio; }
void gpio_set_function(unsigned int gpio, gpio_function_t fn) {
    (void)gpio;
    (void)fn;
}
unsigned int spi_init(spi_inst_t *spi, unsigned int baudrate) { return spi == spi0 ? baudrate - 1 : 0; }

void simulated_sdk_put(unsigned int gpio, bool value) {
    if (gpio == CS) {
        simulated_sdk_is_selected = !value;
        place = 0;
    } else if (gpio == RESET) {
        simulated_sdk_resets += !value;
    }
}

bool simulated_sdk_get(unsigned int gpio) {
    (void)gpio;
    return true;
}

int spi_write_blocking(spi_inst_t *spi, const uint8_t *src, size_t len) {
    if (spi != spi0 || !simulated_sdk_is_selected) {
        return 0;
    }
    for (size_t at = 0; at < len; at++) {
        simulated_sdk_chip.bus.peer(&simulated_sdk_chip, place++, src[at]);
    }
    return (int)len;
}

int spi_read_blocking(spi_inst_t *spi, uint8_t repeated_tx_data, uint8_t *dst, size_t len) {
    if (spi != spi0 || !simulated_sdk_is_selected) {
        return 0;
    }
    for (size_t at = 0; at < len; at++) {
        dst[at] = simulated_sdk_chip.bus.peer(&simulated_sdk_chip, place++, repeated_tx_data);
    }
    return (int)len;
}

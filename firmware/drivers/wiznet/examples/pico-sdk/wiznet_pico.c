/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Implementation of wiznet_pico.h. */
#include "wiznet_pico.h"

#include "hardware/gpio.h"
#include "pico/stdlib.h"

static void output(unsigned pin, bool level) {
    gpio_init(pin);
    gpio_put(pin, level);
    gpio_set_dir(pin, GPIO_OUT);
}

static uint32_t start(void *context, uint32_t hz) {
    const struct wiznet_pico *pico = context;
    uint32_t came_out_hz = spi_init(pico->spi, hz);
    spi_set_format(pico->spi, 8, SPI_CPOL_1, SPI_CPHA_1, SPI_MSB_FIRST); /* mode 3 leaves no gap between bytes */
    gpio_set_function(pico->miso, GPIO_FUNC_SPI);
    gpio_set_function(pico->sck, GPIO_FUNC_SPI);
    gpio_set_function(pico->mosi, GPIO_FUNC_SPI);
    output(pico->cs, true);
    return came_out_hz;
}

static void reset(void *context, bool is_held) {
    const struct wiznet_pico *pico = context;
    output(pico->reset, !is_held);
}

static void exchange(void *context, const uint8_t *header, size_t header_bytes, const uint8_t *out, uint8_t *in,
                     size_t count) {
    const struct wiznet_pico *pico = context;
    gpio_put(pico->cs, false);
    spi_write_blocking(pico->spi, header, header_bytes);
    if (out) {
        spi_write_blocking(pico->spi, out, count);
    } else {
        spi_read_blocking(pico->spi, 0, in, count);
    }
    gpio_put(pico->cs, true);
}

static void write_filled(void *context, const uint8_t *header, size_t header_bytes, const uint8_t *out, size_t count,
                         size_t zeros) {
    static const uint8_t none[64];
    const struct wiznet_pico *pico = context;
    gpio_put(pico->cs, false);
    spi_write_blocking(pico->spi, header, header_bytes);
    spi_write_blocking(pico->spi, out, count);
    spi_write_blocking(pico->spi, none, zeros);
    gpio_put(pico->cs, true);
}

static uint32_t microseconds(void *context) {
    (void)context;
    return time_us_32();
}

static void sleep(void *context, uint32_t limit_us) {
    (void)context;
    sleep_us(limit_us);
}

const struct wiznet_port wiznet_pico_port = {start, reset, exchange, write_filled, microseconds, sleep, NULL};

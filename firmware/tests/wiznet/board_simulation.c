/* Implementation of board_simulation.h, and of the HAL that the driver uses. Each look at the clock takes a
 * microsecond, so that whoever waits for time to pass does get there. */
#include "board_simulation.h"

#include <stddef.h>

#include "clock.h"
#include "gpio.h"
#include "interrupt.h"
#include "spi.h"

uint64_t board_transactions;
bool board_interrupt_level = true;
static uint64_t now_us;
static spi_peer *peer;
static void (*tell_selected)(bool);
static unsigned place;

void board_begin(spi_peer *wanted, void (*selected)(bool)) {
    peer = wanted;
    tell_selected = selected;
    board_transactions = 0;
    board_interrupt_level = true;
    place = 0;
}

uint32_t clock_us(void) { return (uint32_t)++now_us; }

uint32_t clock_ms(void) { return (uint32_t)(++now_us / 1000u); }

uint32_t clock_system_hz(void) { return 133000000u; }

void clock_sleep(uint32_t limit_us) { now_us += limit_us; }

uint32_t interrupts_hold(void) { return 0; }

void interrupts_release(uint32_t held) { (void)held; }

void gpio_output(unsigned pin, bool level) {
    (void)pin;
    (void)level;
}

void gpio_input(unsigned pin, enum gpio_pull pull) {
    (void)pin;
    (void)pull;
}

void gpio_put(unsigned pin, bool level) {
    (void)pin;
    (void)level;
}

bool gpio_get(unsigned pin) {
    (void)pin;
    return board_interrupt_level;
}

bool gpio_on(unsigned pin, unsigned events, void (*handler)(void)) {
    (void)pin;
    (void)events;
    (void)handler;
    return true;
}

void gpio_mask(unsigned pin) { (void)pin; }

void gpio_unmask(unsigned pin) { (void)pin; }

uint32_t spi_start(uint32_t hz) { return hz; }

static void transfer(const uint8_t *out, uint8_t *in, size_t count) {
    for (size_t at = 0; at < count; at++) {
        uint8_t answer = peer(place++, out ? out[at] : 0);
        if (in) {
            in[at] = answer;
        }
    }
}

static void exchange(const uint8_t *header, size_t header_bytes, const uint8_t *out, uint8_t *in, size_t count,
                     size_t zeros) {
    place = 0;
    board_transactions++;
    if (tell_selected) {
        tell_selected(true);
    }
    transfer(header, NULL, header_bytes);
    transfer(out, in, count);
    transfer(NULL, NULL, zeros);
    now_us += 1 + (header_bytes + count + zeros) / 4; /* at 33 MHz */
    if (tell_selected) {
        tell_selected(false);
    }
}

void spi_exchange(const uint8_t *header, size_t header_bytes, const uint8_t *out, uint8_t *in, size_t count) {
    exchange(header, header_bytes, out, in, count, 0);
}

void spi_write_filled(const uint8_t *header, size_t header_bytes, const uint8_t *out, size_t count, size_t zeros) {
    exchange(header, header_bytes, out, NULL, count, zeros);
}

void spi_set_dma_from(size_t bytes) { (void)bytes; }

void spi_set_waiter(const struct spi_waiter *waiter) { (void)waiter; }

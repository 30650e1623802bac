/* Implementation of mdio.h. MDC is slower than the 2.5 MHz that a PHY may ask for, as each half of it takes some
 * accesses. */
#include "mdio.h"

#include "board.h"
#include "gpio.h"

#define PREAMBLE_BITS 32u
#define START 1u
#define READ 2u
#define WRITE 1u
/* At 300 MHz 240 ns, more than the 160 ns that MDC is high and low at the least (IEEE 802.3 clause 22). */
#define HALF_LOOPS 18u

static void wait_half(void) {
    for (unsigned loop = 0; loop < HALF_LOOPS; loop++) {
        __asm__ volatile("");
    }
}

/* A bit is taken where MDC rises, by either side. */
static bool clock_bit(void) {
    wait_half();
    bool level = gpio_get(BOARD_NETWORK_MDIO);
    gpio_put(BOARD_NETWORK_MDC, true);
    wait_half();
    gpio_put(BOARD_NETWORK_MDC, false);
    return level;
}

static void put(uint32_t bits, unsigned count) {
    while (count--) {
        gpio_put(BOARD_NETWORK_MDIO, bits >> count & 1u);
        clock_bit();
    }
}

static void begin(uint32_t operation, unsigned phy, unsigned reg) {
    gpio_output(BOARD_NETWORK_MDIO, true);
    put(0xffffffffu, PREAMBLE_BITS);
    put(START << 12 | operation << 10 | (phy & 31u) << 5 | (reg & 31u), 14);
}

void mdio_start(void) {
    gpio_output(BOARD_NETWORK_MDC, false);
    gpio_input(BOARD_NETWORK_MDIO, GPIO_PULLED_UP);
}

/* The PHY drives the second bit of the turnaround, and what follows. */
uint16_t mdio_read(unsigned phy, unsigned reg) {
    begin(READ, phy, reg);
    gpio_input(BOARD_NETWORK_MDIO, GPIO_PULLED_UP);
    uint32_t bits = 0;
    for (unsigned count = 0; count < 18; count++) {
        bits = bits << 1 | clock_bit();
    }
    return (uint16_t)bits;
}

void mdio_write(unsigned phy, unsigned reg, uint16_t value) {
    begin(WRITE, phy, reg);
    put(2u << 16 | value, 18);
    gpio_input(BOARD_NETWORK_MDIO, GPIO_PULLED_UP);
}

/* Bytes to a WIZnet chip by pins that the processor moves one by one. */
#include "wiznet_bus.h"

void bus_start(void) {
    pin_output(WIZNET_SCLK);
    pin_output(WIZNET_MOSI);
    pin_function(WIZNET_MISO, FUNCTION_SIO);
}

/* What the chip put on MISO at the falling edge takes two cycles through the synchroniser of its pin. */
static uint8_t exchange(uint32_t sent) {
    uint32_t received = 0;
    for (uint32_t bit = 0x80; bit; bit >>= 1) {
        if (sent & bit) {
            SIO_GPIO_OUT_SET = 1u << WIZNET_MOSI;
        } else {
            SIO_GPIO_OUT_CLR = 1u << WIZNET_MOSI;
        }
        received = received << 1 | (SIO_GPIO_IN >> WIZNET_MISO & 1);
        SIO_GPIO_OUT_SET = 1u << WIZNET_SCLK;
        __asm__ volatile("nop\n\tnop");
        SIO_GPIO_OUT_CLR = 1u << WIZNET_SCLK;
    }
    return (uint8_t)received;
}

void bus_transfer(const uint8_t *sent, uint8_t *received, uint32_t bytes) {
    while (bytes--) {
        uint8_t byte = exchange(sent ? *sent++ : 0);
        if (received) {
            *received++ = byte;
        }
    }
}

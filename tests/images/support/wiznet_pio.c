/* Bytes to a WIZnet chip by machine 0 of PIO0: four cycles a bit, the clock by side-set, at a quarter of half of
 * clk_sys, which leaves MISO the time that it takes through the synchroniser of its pin. */
#include "../pio_program.h"
#include "wiznet_bus.h"

#define DIVIDER 2u
#define FIFO_BYTES 4u

static const uint16_t exchange[] = {
    PIO_OUT_PINS(1) | PIO_SIDE1(0) | PIO_DELAY(1),
    PIO_IN_PINS(1) | PIO_SIDE1(1) | PIO_DELAY(1),
};

void bus_start(void) {
    reset_release(RESET_PIO0);
    pio_load(0, exchange, 2);
    pio_output(0, WIZNET_SCLK);
    pio_output(0, WIZNET_MOSI);
    pin_function(WIZNET_MISO, FUNCTION_PIO0);
    pio_prepare(0, DIVIDER * 256, 0, 1,
                PINCTRL_OUT(WIZNET_MOSI, 1) | PINCTRL_SIDE(WIZNET_SCLK, 1) | PINCTRL_IN(WIZNET_MISO),
                SHIFTCTRL_AUTOPULL(8) | SHIFTCTRL_AUTOPUSH(8));
    PIO0_CTRL = PIO_CTRL_RESTART(1);
    PIO0_CTRL = 1;
}

void bus_transfer(const uint8_t *sent, uint8_t *received, uint32_t bytes) {
    uint32_t to_send = bytes, to_receive = bytes;
    while (to_receive) {
        if (to_send && to_receive < to_send + FIFO_BYTES) {
            PIO0_TXF(0) = (sent ? (uint32_t)*sent++ : 0) << 24;
            to_send--;
        }
        if (!(PIO0_FSTAT & PIO_FSTAT_RXEMPTY(0))) {
            uint8_t byte = (uint8_t)PIO0_RXF(0);
            if (received) {
                *received++ = byte;
            }
            to_receive--;
        }
    }
}

/* The part of spi.c for a chip at pins that are on no SPI of the RP2040: state machine 0 of PIO0 moves a bit in two of
 * its cycles (RP2040 datasheet 3).
 *
 * It is mode 0: a bit leaves with the falling edge of SCK, and the other side's is taken at the rising one. SCK stands
 * still, low or high, where a FIFO makes the machine wait, so that nothing is lost however late the processor comes. */
#ifndef SPI_PIO_H
#define SPI_PIO_H

#include <stdint.h>

#include "board.h"
#include "clock.h"
#include "gpio.h"
#include "pads.h"
#include "resets.h"

#define SPI_PIO_MACHINE 0u
#define SPI_PIO_CLOCK_HIGH 0x1000u
#define SPI_PIO_CYCLES_PER_BIT 2u
#define SPI_PIO_SET_PINS 0xe000u
#define SPI_PIO_SET_PINDIRS 0xe080u

/* What may be written before the first frame is read. */
#define SPI_FIFO_FRAMES 4u
/* A byte that is written stands in all four lanes of the word (2.1.4), of which the machine takes the highest one. */
#define SPI_OUT (*(volatile uint8_t *)(PIO0_BASE + 0x010u + 4u * SPI_PIO_MACHINE))
#define SPI_IN PIO_RXF(PIO0_BASE, SPI_PIO_MACHINE)
#define SPI_TREQ_OUT DMA_CTRL_TREQ(DREQ_PIO0_TX(SPI_PIO_MACHINE))
#define SPI_TREQ_IN DMA_CTRL_TREQ(DREQ_PIO0_RX(SPI_PIO_MACHINE))
#define SPI_HAS_FRAME (!(PIO_FSTAT(PIO0_BASE) & PIO_FSTAT_RXEMPTY(SPI_PIO_MACHINE)))

/* Makes a pin an output of PIO0, low. */
static inline void spi_pio_output(unsigned pin) {
    PIO_SM_PINCTRL(PIO0_BASE, SPI_PIO_MACHINE) = PIO_SM_PINCTRL_SET(pin, 1);
    PIO_SM_INSTR(PIO0_BASE, SPI_PIO_MACHINE) = SPI_PIO_SET_PINS;
    PIO_SM_INSTR(PIO0_BASE, SPI_PIO_MACHINE) = SPI_PIO_SET_PINDIRS | 1u;
    pad_function(pin, FUNCTION_PIO0, 0);
}

uint32_t spi_start(uint32_t hz) {
    static const uint16_t program[] = {
        0x6001,                      /* out pins, 1 */
        0x4001 | SPI_PIO_CLOCK_HIGH, /* in pins, 1 */
    };
    uint32_t cycles_hz = SPI_PIO_CYCLES_PER_BIT * (hz ? hz : 1u);
    uint32_t divider = (clock_system_hz() + cycles_hz - 1) / cycles_hz;
    divider = divider < 1 ? 1 : divider > 65535 ? 65535 : divider;
    resets_release(RESET_PIO0 | RESET_DMA);
    gpio_output(BOARD_NETWORK_CSN, true);
    PIO_CTRL(PIO0_BASE) = PIO_CTRL_RESTART_ALL(1u << SPI_PIO_MACHINE);
    for (unsigned index = 0; index < sizeof program / sizeof program[0]; index++) {
        PIO_INSTR_MEM(PIO0_BASE, index) = program[index];
    }
    PIO_SM_CLKDIV(PIO0_BASE, SPI_PIO_MACHINE) = divider << 16;
    PIO_SM_EXECCTRL(PIO0_BASE, SPI_PIO_MACHINE) = PIO_SM_EXECCTRL_WRAP(1, 0);
    PIO_SM_SHIFTCTRL(PIO0_BASE, SPI_PIO_MACHINE) = PIO_SM_SHIFTCTRL_AUTOPULL | PIO_SM_SHIFTCTRL_PULL_AT(8) |
                                                   PIO_SM_SHIFTCTRL_AUTOPUSH | PIO_SM_SHIFTCTRL_PUSH_AT(8);
    spi_pio_output(BOARD_NETWORK_SCLK);
    spi_pio_output(BOARD_NETWORK_MOSI);
    pad_function(BOARD_NETWORK_MISO, FUNCTION_PIO0, 0);
    PIO_SM_PINCTRL(PIO0_BASE, SPI_PIO_MACHINE) = PIO_SM_PINCTRL_OUT(BOARD_NETWORK_MOSI, 1) |
                                                 PIO_SM_PINCTRL_IN(BOARD_NETWORK_MISO) |
                                                 PIO_SM_PINCTRL_SIDE(BOARD_NETWORK_SCLK, 1);
    /* Without it the chip's bits would be seen two cycles late (3.5.6.3). */
    PIO_INPUT_SYNC_BYPASS(PIO0_BASE) = 1u << BOARD_NETWORK_MISO;
    PIO_SM_INSTR(PIO0_BASE, SPI_PIO_MACHINE) = 0; /* jmp 0 */
    PIO_CTRL(PIO0_BASE) = PIO_CTRL_ENABLE(1u << SPI_PIO_MACHINE);
    return clock_system_hz() / (SPI_PIO_CYCLES_PER_BIT * divider);
}

#endif

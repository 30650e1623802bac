/* The part of spi.c for a chip on an SPI block: the PL022 of SPI0 (RP2040 datasheet 4.4). */
#ifndef SPI_BLOCK_H
#define SPI_BLOCK_H

#include <stdint.h>

#include "board.h"
#include "clock.h"
#include "gpio.h"
#include "pads.h"
#include "resets.h"

_Static_assert(BOARD_NETWORK_SPI == 0, "this drives SPI0");

/* What may be written before the first frame is read. */
#define SPI_FIFO_FRAMES 8u
#define SPI_OUT SPI0_SSPDR
#define SPI_IN SPI0_SSPDR
#define SPI_TREQ_OUT DMA_CTRL_TREQ(DREQ_SPI0_TX)
#define SPI_TREQ_IN DMA_CTRL_TREQ(DREQ_SPI0_RX)
#define SPI_HAS_FRAME (SPI0_SSPSR & SSPSR_RNE)

/* In mode 3 chip select needs no pulse between frames (4.4.3.12), and SCK stands still for half a bit; in mode 0 it
 * would for one and a half. SPH, SPO (4.4.4, SSPCR0). */
#define SPI_MODE_3 (1u << 7 | 1u << 6)

/* SCK is clk_peri / (CPSDVSR * (1 + SCR)), CPSDVSR even (4.4.3.4). */
uint32_t spi_start(uint32_t hz) {
    uint32_t peripheral_hz = clock_system_hz(), prescale = 2;
    hz = hz ? hz : 1;
    while (prescale < 254 && peripheral_hz / prescale / 256u >= hz) {
        prescale += 2;
    }
    uint32_t rate = (peripheral_hz / prescale + hz - 1) / hz;
    rate = rate < 1 ? 1 : rate > 256 ? 256 : rate;
    resets_release(RESET_SPI0 | RESET_DMA);
    SPI0_SSPCR1 = 0;
    SPI0_SSPCPSR = prescale;
    SPI0_SSPCR0 = (rate - 1) << 8 | SPI_MODE_3 | 7u;
    SPI0_SSPDMACR = 3;
    SPI0_SSPCR1 = SSPCR1_SSE;
    gpio_output(BOARD_NETWORK_CSN, true);
    pad_function(BOARD_NETWORK_MISO, FUNCTION_SPI, 0);
    pad_function(BOARD_NETWORK_SCLK, FUNCTION_SPI, 0);
    pad_function(BOARD_NETWORK_MOSI, FUNCTION_SPI, 0);
    return peripheral_hz / (prescale * rate);
}

#endif

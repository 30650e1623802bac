/* The wires to a WIZnet chip as on WIZnet's EVB-Pico boards (W5500-EVB-Pico and W5100S-EVB-Pico hardware guides),
 * and what moves bytes over them: SPI0 with DMA (wiznet_spi.c), pins moved one by one (wiznet_bitbang.c) or PIO0
 * (wiznet_pio.c). SPI mode 0, most significant bit first. */
#ifndef WIZNET_BUS_H
#define WIZNET_BUS_H

#include "support.h"

#define WIZNET_MISO 16u
#define WIZNET_CSN 17u
#define WIZNET_SCLK 18u
#define WIZNET_MOSI 19u
#define WIZNET_RSTN 20u
#define WIZNET_INTN 21u

void bus_start(void);
/* Moves bytes both ways at once. Without `sent` zeros go out; without `received` what comes in is thrown away. */
void bus_transfer(const uint8_t *sent, uint8_t *received, uint32_t bytes);

static inline void bus_select(void) { SIO_GPIO_OUT_CLR = 1u << WIZNET_CSN; }
static inline void bus_deselect(void) { SIO_GPIO_OUT_SET = 1u << WIZNET_CSN; }

#endif

/* What the examples use of the Pico SDK, declared with its signatures. */
#ifndef HARDWARE_SPI_H
#define HARDWARE_SPI_H

#include <stddef.h>
#include <stdint.h>

typedef struct spi_inst spi_inst_t;
#define spi0 ((spi_inst_t *)0x1000)

typedef enum { SPI_CPHA_0 = 0, SPI_CPHA_1 = 1 } spi_cpha_t;
typedef enum { SPI_CPOL_0 = 0, SPI_CPOL_1 = 1 } spi_cpol_t;
typedef enum { SPI_LSB_FIRST = 0, SPI_MSB_FIRST = 1 } spi_order_t;

unsigned int spi_init(spi_inst_t *spi, unsigned int baudrate);
static inline void spi_set_format(spi_inst_t *spi, unsigned int data_bits, spi_cpol_t cpol, spi_cpha_t cpha,
                                  spi_order_t order) {
    (void)spi;
    (void)data_bits;
    (void)cpol;
    (void)cpha;
    (void)order;
}
int spi_write_blocking(spi_inst_t *spi, const uint8_t *src, size_t len);
int spi_read_blocking(spi_inst_t *spi, uint8_t repeated_tx_data, uint8_t *dst, size_t len);

#endif

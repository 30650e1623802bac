/* Copies between a ring and memory that the CRC of IEEE 802.3 is reckoned over: by the DMA's sniffer (rmii_crc_dma.c),
 * or by the processor with a table (rmii_crc_cpu.c). An image has one of them. */
#ifndef RMII_CRC_H
#define RMII_CRC_H

#include "rmii.h"

/* With a channel of DMA that nobody else uses. */
void rmii_crc_start(unsigned channel);
void rmii_crc_take(uint8_t *to, const uint8_t *ring, uint32_t place, size_t count);
void rmii_crc_put(uint8_t *ring, uint32_t place, const uint8_t *from, size_t count);

#endif

/* CRC-32 as in Ethernet and zip (ISO-HDLC): polynomial 0x04c11db7 reflected, check value 0xcbf43926. */
#ifndef CRC32_H
#define CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Of `count` bytes behind those that gave `crc`, which is 0 for none. */
uint32_t crc32(uint32_t crc, const uint8_t *bytes, size_t count);

#endif

/* The sockets' transmit and receive memories, which wrap. */
#ifndef WIZNET_MEMORY_H
#define WIZNET_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Of one direction. */
size_t memory_bytes(unsigned socket);
void memory_read(unsigned socket, uint16_t pointer, uint8_t *bytes, size_t count);
void memory_write(unsigned socket, uint16_t pointer, const uint8_t *bytes, size_t count);
/* With zeros behind, fewer than 64. */
void memory_write_filled(unsigned socket, uint16_t pointer, const uint8_t *bytes, size_t count, size_t zeros);

#endif

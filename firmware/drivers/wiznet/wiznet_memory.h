/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The sockets' transmit and receive memories, which wrap, for the driver itself. */
#ifndef WIZNET_MEMORY_H
#define WIZNET_MEMORY_H

#include "wiznet.h"

/* How many bytes a socket's memory has in each direction. */
size_t wiznet_memory_bytes(const struct wiznet *wiznet, unsigned socket);
void wiznet_memory_read(struct wiznet *wiznet, unsigned socket, uint16_t pointer, uint8_t *bytes, size_t count);
void wiznet_memory_write(struct wiznet *wiznet, unsigned socket, uint16_t pointer, const uint8_t *bytes, size_t count);
/* Writes that many zeros, fewer than 64, behind the bytes. */
void wiznet_memory_write_filled(struct wiznet *wiznet, unsigned socket, uint16_t pointer, const uint8_t *bytes,
                                size_t count, size_t zeros);

#endif

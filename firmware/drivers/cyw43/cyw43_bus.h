/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* gSPI: transactions with the chip's three functions, and the backplane behind the second one. Inside the driver only.
 */
#ifndef CYW43_BUS_H
#define CYW43_BUS_H

#include "cyw43.h"

enum cyw43_function { CYW43_BUS, CYW43_BACKPLANE, CYW43_WLAN };

/* The longest block that the backplane takes. */
#define CYW43_BLOCK_BYTES 64u

/* Before the chip is told how words lie, it has the halves of each the other way round. */
void cyw43_bus_write_first(struct cyw43 *cyw43, uint32_t address, uint32_t value);
uint32_t cyw43_bus_read_first(struct cyw43 *cyw43, uint32_t address);
/* A register of one, two or four bytes. */
void cyw43_bus_write(struct cyw43 *cyw43, enum cyw43_function function, uint32_t address, size_t bytes, uint32_t value);
uint32_t cyw43_bus_read(struct cyw43 *cyw43, enum cyw43_function function, uint32_t address, size_t bytes);
/* A word of the backplane. */
void cyw43_backplane_write(struct cyw43 *cyw43, uint32_t address, uint32_t value);
uint32_t cyw43_backplane_read(struct cyw43 *cyw43, uint32_t address);
/* Whole words into the memory of the chip's processor. */
void cyw43_backplane_upload(struct cyw43 *cyw43, uint32_t address, const void *words, size_t bytes);

/* A packet of the WLAN function in pieces of any size and place: from the begin to the end nothing else goes over the
 * bus. What the chip sends is whole words. */
void cyw43_packet_begin_read(struct cyw43 *cyw43, size_t bytes);
void cyw43_packet_read(struct cyw43 *cyw43, void *bytes, size_t count);
void cyw43_packet_skip(struct cyw43 *cyw43, size_t count);
/* What is left of it is thrown away. */
void cyw43_packet_end_read(struct cyw43 *cyw43);
void cyw43_packet_begin_write(struct cyw43 *cyw43, size_t bytes);
void cyw43_packet_write(struct cyw43 *cyw43, const void *bytes, size_t count);
/* In the place of what was not written stand zeros. */
void cyw43_packet_end_write(struct cyw43 *cyw43);

uint32_t cyw43_now_us(const struct cyw43 *cyw43);
/* Whether `limit_us` have gone by since `from_us`. */
bool cyw43_is_over(const struct cyw43 *cyw43, uint32_t from_us, uint32_t limit_us);
/* Passes that time, at least. */
void cyw43_pause(const struct cyw43 *cyw43, uint32_t us);

#endif

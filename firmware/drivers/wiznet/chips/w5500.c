/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Facts of the W5500, as docs/explanation/fidelity-wiznet.md of the repository says they are known. */
#include "wiznet_chip.h"

WIZNET_TABLE const struct wiznet_chip wiznet_w5500 = {
    .name = "W5500",
    .sentences = WIZNET_SENTENCES("W5500"),
    .most_spi_hz = 33300000u, /* guaranteed (5.5.4) */
    .reset_us = 500,
    .start_ms = 1,
    .sockets = 8,
    .memory_kib = 16,
    .header = WIZNET_HEADER_BLOCK,
    .header_bytes = 3,
    .socket_registers = 0x10000u,
    .socket_step = 0x40000u,
    .common = WIZNET_COMMON_PLACES,
    .socket = WIZNET_SOCKET_PLACES,
    .tx_memory = 0x20000u,
    .rx_memory = 0x30000u,
    .memory_step = 0x40000u,
    .memory_wraps = true,
    .version_register = 0x39,
    .version = 0x04,
    .interrupts = 0x17,
    .interrupt_mask = 0x18,
    .has_socket_mask = true,
    .phy = 0x2e,
    .phy_link = 0x01,
    .macraw = 0x84, /* MACRAW, and MF */
};

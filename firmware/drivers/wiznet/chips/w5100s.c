/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Facts of the W5100S, as docs/explanation/fidelity-wiznet.md of the repository says they are known. */
#include "wiznet_chip.h"

WIZNET_TABLE const struct wiznet_chip wiznet_w5100s = {
    .name = "W5100S",
    .sentences = WIZNET_SENTENCES("W5100S"),
    .most_spi_hz = 33300000u,
    .reset_us = 500,
    .start_ms = 61,
    .sockets = 4,
    .memory_kib = 8,
    .header = WIZNET_HEADER_OPCODE,
    .header_bytes = 3,
    .socket_registers = 0x400u,
    .socket_step = 0x100u,
    .common = WIZNET_COMMON_PLACES,
    .socket = WIZNET_SOCKET_PLACES,
    .tx_memory = 0x4000u,
    .rx_memory = 0x6000u,
    .version_register = 0x80,
    .version = 0x51,
    .interrupts = 0x15,
    .interrupt_mask = 0x16,
    .has_socket_mask = true,
    .phy = 0x3c,
    .phy_link = 0x01,
    .lock = 0x71, /* NETLCKR */
    .unlock = 0xc5,
    .memory_sizes = 0x1a,
    .macraw = 0x44, /* MACRAW, and MF */
};

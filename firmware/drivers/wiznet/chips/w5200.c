/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Facts of the W5200, as docs/explanation/fidelity-wiznet.md of the repository says they are known. */
#include "wiznet_chip.h"

WIZNET_TABLE const struct wiznet_chip wiznet_w5200 = {
    .name = "W5200",
    .sentences = WIZNET_SENTENCES("W5200"),
    .most_spi_hz = 33300000u,
    .reset_us = 2,
    .start_ms = 150,
    .sockets = 8,
    .memory_kib = 16,
    .header = WIZNET_HEADER_COUNTED,
    .header_bytes = 4,
    .socket_registers = 0x4000u,
    .socket_step = 0x100u,
    .common = WIZNET_COMMON_PLACES,
    .socket = WIZNET_SOCKET_PLACES,
    .tx_memory = 0x8000u,
    .rx_memory = 0xc000u,
    .version_register = 0x1f,
    .version = 0x03,
    .interrupts = 0x34,
    .interrupt_mask = 0x16,
    .has_socket_mask = true,
    .phy = 0x35,
    .phy_link = 0x20,
    .macraw = 0x44, /* MACRAW, and MF */
};

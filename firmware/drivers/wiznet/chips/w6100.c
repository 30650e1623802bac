/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Facts of the W6100, as docs/explanation/fidelity-wiznet.md of the repository says they are known. Its sockets are
 * opened over IPv4. */
#include "wiznet_chip.h"

WIZNET_TABLE const struct wiznet_chip wiznet_w6100 = {
    .name = "W6100",
    .sentences = WIZNET_SENTENCES("W6100"),
    .most_spi_hz = 33300000u, /* as the W5100S, its likeness */
    .reset_us = 580,          /* the longest that any driver reads in its datasheet */
    .start_ms = 61,
    .sockets = 8,
    .memory_kib = 16,
    .header = WIZNET_HEADER_BLOCK,
    .header_bytes = 3,
    .socket_registers = 0x10000u,
    .socket_step = 0x40000u,
    .common = {.GAR = 0x4130, .SUBR = 0x4134, .SHAR = 0x4120, .SIPR = 0x4138},
    .socket = {.Sn_MR = 0x000,
               .Sn_CR = 0x010,
               .Sn_IR = 0x020,
               .Sn_IRCLR = 0x028,
               .Sn_SR = 0x030,
               .Sn_PORT = 0x114,
               .Sn_DIPR = 0x120,
               .Sn_DPORT = 0x140,
               .Sn_RXBUF_SIZE = 0x220,
               .Sn_TXBUF_SIZE = 0x200,
               .Sn_TX_FSR = 0x204,
               .Sn_TX_WR = 0x20c,
               .Sn_RX_RSR = 0x224,
               .Sn_RX_RD = 0x228,
               .Sn_IMR = 0x024},
    .tx_memory = 0x20000u,
    .rx_memory = 0x30000u,
    .memory_step = 0x40000u,
    .memory_wraps = true,
    .version_register = 0x0002, /* VER, whose upper byte it is */
    .version = 0x46,
    .interrupts = 0x2101,
    .interrupt_mask = 0x2114,
    .has_socket_mask = true,
    .phy = 0x3000,
    .phy_link = 0x01,
    .lock = 0x41f5, /* NETLCKR */
    .unlock = 0x3a,
    .macraw = 0x87, /* MACRAW, and MF */
    .tells_length_first = true,
};

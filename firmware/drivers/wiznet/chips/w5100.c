/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Facts of the W5100, as docs/explanation/fidelity-wiznet.md of the repository says they are known. It has no version
 * register, none for the link, and no Sn_IMR. */
#include "wiznet_chip.h"

WIZNET_TABLE const struct wiznet_chip wiznet_w5100 = {
    .name = "W5100",
    .sentences = WIZNET_SENTENCES("W5100"),
    .most_spi_hz = 14000000u, /* 70 ns a cycle at least */
    .reset_us = 2,
    .start_ms = 10,
    .sockets = 4,
    .memory_kib = 8,
    .header = WIZNET_HEADER_OPCODE,
    .header_bytes = 3,
    .is_byte_by_byte = true, /* each byte is a transaction of its own */
    .socket_registers = 0x400u,
    .socket_step = 0x100u,
    .common = WIZNET_COMMON_PLACES,
    .socket = WIZNET_SOCKET_PLACES,
    .tx_memory = 0x4000u,
    .rx_memory = 0x6000u,
    .interrupts = 0x15, /* with CONFLICT, UNREACH and PPPoE in the upper half */
    .interrupt_mask = 0x16,
    .memory_sizes = 0x1a,
    .macraw = 0x44, /* MACRAW, and MF */
};

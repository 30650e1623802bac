/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Addresses and numbers of the CYW43439, as public documents and logs of its drivers have them (the repository's notes
 * on the chip, sections 3 to 5; wlioctl numbers as in Linux' brcmfmac). Inside the driver only. */
#ifndef CYW43_REGISTERS_H
#define CYW43_REGISTERS_H

/* Function 0: the bus. */
#define BUS_CONTROL 0x00u
#define BUS_INTERRUPTS 0x04u /* ones clear */
#define BUS_INTERRUPTS_ENABLED 0x06u
#define BUS_STATUS 0x08u
#define BUS_TEST 0x14u
#define BUS_TEST_VALUE 0xfeedbeadu
#define BUS_DELAY_BACKPLANE 0x1du

/* Words of 32 bits, the lowest byte first; the chip's bits change on rising edges; the interrupt is high; wake up. Four
 * bytes of delay before what the backplane reads. No status word behind each transaction. */
#define BUS_CONTROL_VALUE (0xb3u | BACKPLANE_DELAY_BYTES << 8 | 0x02u << 16)
#define BACKPLANE_DELAY_BYTES 4u
#define INTERRUPT_PACKET (1u << 5)
#define INTERRUPTS_WANTED 0x00beu /* packets, and what went wrong on the bus */
#define INTERRUPTS_OF_FAULTS 0x001eu
#define STATUS_TAKES_PACKETS (1u << 5)
#define STATUS_HAS_PACKET (1u << 8)
#define STATUS_PACKET_BYTES(status) ((status) >> 9 & 0x7ffu)

/* Function 1: the backplane's own registers. */
#define WATERMARK 0x10008u
#define WATERMARK_BYTES 0x20u
#define WINDOW_ADDRESS 0x1000au
#define WINDOW_MASK 0x7fffu
#define WINDOW_WORDS 0x8000u /* accesses of 32 bits */
#define CLOCKS 0x1000eu
#define CLOCKS_ASK_ALP 0x08u
#define CLOCKS_HAVE_ALP 0x40u
#define CLOCKS_HAVE_HT 0x80u
#define PULL_UPS 0x1000fu
#define SLEEP_CONTROL 0x1001fu
#define SLEEP_KEEP_ON 1u
#define SLEEP_IS_ON 3u

/* Cores behind it. */
#define CHIP_COMMON 0x18000000u
#define CHIP_ID 0xa9afu
#define SDIO_HOST_MASK 0x18002024u
#define SDIO_HOST_MASK_PACKETS 0xf0u
#define MEMORY_BANK 0x18004010u
#define MEMORY_BANK_POWER 0x18004044u
#define PROCESSOR_WRAPPER 0x18103000u
#define MEMORY_WRAPPER 0x18104000u
#define WRAPPER_CONTROL 0x408u
#define WRAPPER_CLOCK 1u
#define WRAPPER_FORCE_CLOCK 2u
#define WRAPPER_RESET 0x800u
#define WRAPPER_IN_RESET 1u
#define MEMORY_BYTES 0x80000u

/* Function 2: packets. Length, complement, sequence, channel, next length, where the content begins, flow control,
 * credit, two bytes. */
#define PACKET_HEADER_BYTES 12u
#define PACKET_HEADER_WORDS 3u
#define CHANNEL_CONTROL 0u
#define CHANNEL_EVENT 1u
#define CHANNEL_DATA 2u
/* A request: command, length, flags, number, status. */
#define REQUEST_HEADER_BYTES 16u
#define REQUEST_SETS 2u
/* Before an Ethernet frame: flags, priority, interface, and how many words follow before the frame. */
#define FRAME_HEADER_BYTES 4u
#define FRAME_HEADER_FLAGS 0x20u
/* Two bytes more, so that what follows Ethernet's header lies at a word. */
#define FRAME_PADDING 2u
/* A chip that says it takes more frames than this is not believed. */
#define MOST_CREDIT 0x40u

/* Requests. */
#define REQUEST_UP 2u
#define REQUEST_INFRASTRUCTURE 20u
#define REQUEST_AUTHENTICATION 22u
#define REQUEST_JOIN 26u
#define REQUEST_LEAVE 52u
#define REQUEST_ANTENNA 64u
#define REQUEST_POWER_SAVE 86u
#define REQUEST_RSSI 127u
#define REQUEST_CIPHERS 134u
#define REQUEST_KEY_MANAGEMENT 165u
#define REQUEST_GET 262u
#define REQUEST_SET 263u
#define REQUEST_PASSPHRASE 268u

#define AUTHENTICATION_OPEN 0u
#define AUTHENTICATION_SAE 3u
#define CIPHERS_NONE 0u
#define CIPHERS_AES 4u
#define KEYS_NONE 0u
#define KEYS_WPA2_PSK 0x80u
#define KEYS_WPA3_SAE 0x40000u

/* Events. */
#define EVENT_JOIN_ENDS 0u
#define EVENT_AUTHENTICATED 3u
#define EVENT_DEAUTHENTICATED 5u
#define EVENT_DEAUTHENTICATED_BY_PEER 6u
#define EVENT_DISASSOCIATED 11u
#define EVENT_DISASSOCIATED_BY_PEER 12u
#define EVENT_LINK 16u
#define EVENT_KEYS 46u
#define EVENT_ASSOCIATION_REQUEST 87u
#define STATUS_SUCCESS 0u
#define STATUS_NOT_FOUND 3u
#define STATUS_KEYED 6u

#endif

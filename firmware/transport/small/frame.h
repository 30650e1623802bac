/* The one frame that the stack has at a time, in either direction, and where its headers' fields stand (Ethernet II;
 * RFC 826, 791, 792, 768, 9293). Fields are read byte by byte: they are in the order of the wire, and may be unaligned.
 */
#ifndef FRAME_H
#define FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef SMALL_FRAME_BYTES
#define SMALL_FRAME_BYTES 1514u /* longer frames are dropped */
#endif
#define FRAME_HEADROOM_BYTES 2u /* what the chip's driver may put before a frame */

extern uint8_t frame_memory[FRAME_HEADROOM_BYTES + SMALL_FRAME_BYTES];
#define frame (frame_memory + FRAME_HEADROOM_BYTES)

#define MAC_BYTES 6u
#define ETHERNET_BYTES 14u
#define ETHERNET_TO 0u
#define ETHERNET_FROM 6u
#define ETHERNET_TYPE 12u
#define TYPE_IP 0x0800u
#define TYPE_ARP 0x0806u

#define ARP_FORMATS 14u /* hardware, protocol, and the sizes of their addresses */
#define ARP_OPERATION 20u
#define ARP_SENDER_MAC 22u
#define ARP_SENDER 28u
#define ARP_TARGET_MAC 32u
#define ARP_TARGET 38u
#define ARP_FRAME_BYTES 42u

#define IP_HEADER 14u
#define IP_BYTES 20u
#define IP_LENGTH 16u
#define IP_ID 18u
#define IP_FRAGMENT 20u
#define IP_TTL 22u
#define IP_PROTOCOL 23u
#define IP_CHECKSUM 24u
#define IP_FROM 26u
#define IP_TO 30u
#define IP_PAYLOAD 34u
#define PROTOCOL_ICMP 1u
#define PROTOCOL_TCP 6u
#define PROTOCOL_UDP 17u

#define ICMP_TYPE 34u
#define ICMP_CHECKSUM 36u
#define ICMP_BYTES 8u

#define UDP_FROM 34u
#define UDP_TO 36u
#define UDP_LENGTH 38u
#define UDP_CHECKSUM 40u
#define UDP_BYTES 8u
#define UDP_PAYLOAD 42u

#define TCP_FROM 34u
#define TCP_TO 36u
#define TCP_SEQUENCE 38u
#define TCP_ACKNOWLEDGED 42u
#define TCP_OFFSET 46u
#define TCP_FLAGS 47u
#define TCP_WINDOW 48u
#define TCP_CHECKSUM 50u
#define TCP_URGENT 52u
#define TCP_BYTES 20u
#define TCP_OPTIONS 54u

static inline uint16_t frame_word(size_t at) { return (uint16_t)((uint16_t)frame[at] << 8 | frame[at + 1]); }

static inline void frame_put_word(size_t at, uint16_t value) {
    frame[at] = (uint8_t)(value >> 8);
    frame[at + 1] = (uint8_t)value;
}

static inline uint32_t frame_long(size_t at) { return (uint32_t)frame_word(at) << 16 | frame_word(at + 2); }

static inline void frame_put_long(size_t at, uint32_t value) {
    frame_put_word(at, (uint16_t)(value >> 16));
    frame_put_word(at + 2, (uint16_t)value);
}

/* An address stays in the order of the wire. */
static inline uint32_t frame_address(size_t at) {
    uint32_t address;
    memcpy(&address, frame + at, sizeof address);
    return address;
}

static inline void frame_put_address(size_t at, uint32_t address) { memcpy(frame + at, &address, sizeof address); }

#endif

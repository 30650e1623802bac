/* IP of the small stack (stack.h): what a protocol on top of it is, and the headers of what it sends. */
#ifndef IP_H
#define IP_H

#include "stack.h"

/* A protocol; output() and wait_ms() may be null, and are as stack.h has them. */
struct ip_protocol {
    uint8_t number;
    /* Takes a packet with so many bytes behind its IP header, which is in order. */
    size_t (*input)(size_t bytes, uint32_t now_ms);
    size_t (*output)(uint32_t now_ms);
    uint32_t (*wait_ms)(uint32_t now_ms);
};

/* Has packets of a protocol handed on from here on. */
void ip_add(const struct ip_protocol *protocol);
/* The own address, and whether another is for all stations of the own network. */
uint32_t ip_address(void);
bool ip_is_broadcast(uint32_t address);
/* Makes the frame's Ethernet and IP headers. Returns its bytes. */
size_t ip_compose(const uint8_t to_mac[6], uint32_t to, uint8_t protocol, size_t payload_bytes);
/* The sum of a pseudo header over the addresses that the frame has (RFC 768). */
uint16_t ip_pseudo_sum(uint8_t protocol, size_t bytes);

#endif

/* ARP of the small stack (RFC 826): answers, and a few addresses that it has asked for. */
#ifndef ARP_H
#define ARP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_addresses;

void arp_begin(const struct stack_addresses *addresses);
/* As stack.h has them. */
size_t arp_input(size_t bytes);
size_t arp_output(uint32_t now_ms);
uint32_t arp_wait_ms(uint32_t now_ms);
void arp_announce(void);
/* Where a packet to an address goes first: the station itself, or the router. False where that is not known yet: then
 * it is asked for. */
bool arp_find(uint32_t address, uint8_t mac[6]);

#endif

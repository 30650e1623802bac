/* A TCP/IP stack for boards with a few kilobytes of RAM, without any I/O: a frame is in frame.h's memory, and so is
 * what goes out. It answers ARP and ICMP echo, has UDP ports, and one TCP connection at a time. What an image does not
 * ask for is not linked.
 *
 * Left out: options and fragments of IP, ICMP but echo, and of TCP all options but MSS, segments out of order and
 * urgent data. Frames with such things are dropped, which a peer takes for a loss. */
#ifndef STACK_H
#define STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_addresses {
    uint8_t mac[6];
    uint32_t address, mask, gateway;
};

/* Forgets everything, and has these addresses from here on. */
void stack_begin(const struct stack_addresses *addresses);
/* Takes the frame of so many bytes that came in. Returns how many the answer has that stands in its place, 0 for none.
 */
size_t stack_input(size_t bytes, uint32_t now_ms);
/* Puts the next frame that is to go out there, and returns its bytes; 0 where there is none now. */
size_t stack_output(uint32_t now_ms);
/* How long until stack_output() may have one without anything else having happened, at most `limit_ms`. */
uint32_t stack_wait_ms(uint32_t now_ms, uint32_t limit_ms);
/* Has the own address announced by the next stack_output(). */
void stack_announce(void);

#endif

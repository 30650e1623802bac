/* Frames in and out of the small stack, IP, and ICMP echo, which is answered where it stands. */
#include "ip.h"

#include "arp.h"
#include "checksum.h"
#include "frame.h"

#define PROTOCOLS 2u
#define VERSION_AND_LENGTH 0x45u /* IPv4, no options */
#define DONT_FRAGMENT 0x4000u
#define MORE_AND_OFFSET 0x3fffu
#define TTL 64u /* the default of RFC 1700 */
#define ECHO_REPLY 0u
#define ECHO_REQUEST 8u

uint8_t frame_memory[FRAME_HEADROOM_BYTES + SMALL_FRAME_BYTES];

static struct stack_addresses own;
static const struct ip_protocol *protocols[PROTOCOLS];
static uint16_t next_id;

void stack_begin(const struct stack_addresses *addresses) {
    own = *addresses;
    memset(protocols, 0, sizeof protocols);
    next_id = 0;
    arp_begin(addresses);
}

void ip_add(const struct ip_protocol *protocol) {
    for (uint8_t n = 0; n < PROTOCOLS; n++) {
        if (!protocols[n] || protocols[n] == protocol) {
            protocols[n] = protocol;
            return;
        }
    }
}

uint32_t ip_address(void) { return own.address; }

bool ip_is_broadcast(uint32_t address) { return address == UINT32_MAX || address == (own.address | ~own.mask); }

size_t ip_compose(const uint8_t to_mac[6], uint32_t to, uint8_t protocol, size_t payload_bytes) {
    memcpy(frame + ETHERNET_TO, to_mac, MAC_BYTES);
    memcpy(frame + ETHERNET_FROM, own.mac, MAC_BYTES);
    frame_put_word(ETHERNET_TYPE, TYPE_IP);
    frame_put_word(IP_HEADER, (uint16_t)(VERSION_AND_LENGTH << 8));
    frame_put_word(IP_LENGTH, (uint16_t)(IP_BYTES + payload_bytes));
    frame_put_word(IP_ID, next_id++);
    frame_put_word(IP_FRAGMENT, DONT_FRAGMENT);
    frame[IP_TTL] = TTL;
    frame[IP_PROTOCOL] = protocol;
    frame_put_word(IP_CHECKSUM, 0);
    frame_put_address(IP_FROM, own.address);
    frame_put_address(IP_TO, to);
    frame_put_word(IP_CHECKSUM, (uint16_t)~checksum_add(0, frame + IP_HEADER, IP_BYTES));
    return ETHERNET_BYTES + IP_BYTES + payload_bytes;
}

uint16_t ip_pseudo_sum(uint8_t protocol, size_t bytes) {
    uint16_t sum = checksum_add_word(protocol, (uint16_t)bytes);
    return checksum_add(sum, frame + IP_FROM, 8);
}

/* Addresses change places and TTL is ours: of the IP header's sum only the latter changes. That of ICMP is adjusted, so
 * that the payload is neither read nor trusted: what was wrong arrives as wrong. */
static size_t answer_echo(size_t bytes) {
    if (bytes < ICMP_BYTES || frame_word(ICMP_TYPE) != (uint16_t)(ECHO_REQUEST << 8)) {
        return 0;
    }
    memcpy(frame + ETHERNET_TO, frame + ETHERNET_FROM, MAC_BYTES);
    memcpy(frame + ETHERNET_FROM, own.mac, MAC_BYTES);
    memcpy(frame + IP_TO, frame + IP_FROM, 4);
    frame_put_address(IP_FROM, own.address);
    uint16_t before = frame_word(IP_TTL);
    frame[IP_TTL] = TTL;
    frame_put_word(IP_CHECKSUM, checksum_adjusted(frame_word(IP_CHECKSUM), before, frame_word(IP_TTL)));
    frame[ICMP_TYPE] = ECHO_REPLY;
    frame_put_word(ICMP_CHECKSUM, checksum_adjusted(frame_word(ICMP_CHECKSUM), ECHO_REQUEST << 8, ECHO_REPLY << 8));
    return ETHERNET_BYTES + IP_BYTES + bytes;
}

/* What is behind the packet is padding of a short frame. No station may be many (RFC 1122 3.2.1.3). */
static bool is_in_order(size_t bytes) {
    size_t length = frame_word(IP_LENGTH);
    return bytes >= IP_PAYLOAD && frame[IP_HEADER] == VERSION_AND_LENGTH && length >= IP_BYTES &&
           length <= bytes - ETHERNET_BYTES && !(frame_word(IP_FRAGMENT) & MORE_AND_OFFSET) &&
           checksum_add(0, frame + IP_HEADER, IP_BYTES) == UINT16_MAX && !(frame[ETHERNET_FROM] & 1u) &&
           frame[IP_FROM] < 224u && !ip_is_broadcast(frame_address(IP_FROM));
}

static size_t take_packet(size_t bytes, uint32_t now_ms) {
    uint8_t number = frame[IP_PROTOCOL];
    bool is_own = frame_address(IP_TO) == own.address;
    if (is_own && number == PROTOCOL_ICMP) {
        return answer_echo(bytes);
    }
    if (!is_own && (number != PROTOCOL_UDP || !ip_is_broadcast(frame_address(IP_TO)))) {
        return 0;
    }
    for (uint8_t n = 0; n < PROTOCOLS && protocols[n]; n++) {
        if (protocols[n]->number == number) {
            return protocols[n]->input(bytes, now_ms);
        }
    }
    return 0;
}

size_t stack_input(size_t bytes, uint32_t now_ms) {
    if (bytes < ETHERNET_BYTES || bytes > SMALL_FRAME_BYTES) {
        return 0;
    }
    uint16_t type = frame_word(ETHERNET_TYPE);
    if (type == TYPE_ARP) {
        return arp_input(bytes);
    }
    return type == TYPE_IP && is_in_order(bytes) ? take_packet(frame_word(IP_LENGTH) - IP_BYTES, now_ms) : 0;
}

/* ARP comes last: it asks for whom a protocol has just missed. */
size_t stack_output(uint32_t now_ms) {
    size_t bytes = 0;
    for (uint8_t n = 0; !bytes && n < PROTOCOLS && protocols[n]; n++) {
        bytes = protocols[n]->output ? protocols[n]->output(now_ms) : 0;
    }
    return bytes ? bytes : arp_output(now_ms);
}

uint32_t stack_wait_ms(uint32_t now_ms, uint32_t limit_ms) {
    uint32_t wait_ms = arp_wait_ms(now_ms);
    limit_ms = wait_ms < limit_ms ? wait_ms : limit_ms;
    for (uint8_t n = 0; n < PROTOCOLS && protocols[n]; n++) {
        wait_ms = protocols[n]->wait_ms ? protocols[n]->wait_ms(now_ms) : limit_ms;
        limit_ms = wait_ms < limit_ms ? wait_ms : limit_ms;
    }
    return limit_ms;
}

void stack_announce(void) { arp_announce(); }

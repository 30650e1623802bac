/* Implementation of arp.h. An entry is taken from whom was asked for, or who asks for this station, which is about to
 * be written to (RFC 826, "Packet Reception"). It is renewed by whatever its station sends over ARP. */
#include "arp.h"

#include "frame.h"
#include "stack.h"

#ifndef SMALL_ARP_ENTRIES
#define SMALL_ARP_ENTRIES 4u
#endif
#define OPERATION_REQUEST 1u
#define OPERATION_REPLY 2u
/* At most one request a second for an address (RFC 1122 2.3.2.1). */
#define ASK_AGAIN_MS 1000u
#define MOST_REQUESTS 5u

static const uint8_t formats[6] = {0, 1, 8, 0, MAC_BYTES, 4}; /* Ethernet, IP */
static struct stack_addresses own;
static struct {
    uint32_t address;
    uint8_t mac[MAC_BYTES];
} entries[SMALL_ARP_ENTRIES];
static uint8_t next_entry, requests_left;
static bool must_announce, is_asked;
static uint32_t wanted, asked_ms;

void arp_begin(const struct stack_addresses *addresses) {
    own = *addresses;
    memset(entries, 0, sizeof entries);
    next_entry = requests_left = 0;
    must_announce = is_asked = false;
    wanted = 0;
}

static void learn(uint32_t address, const uint8_t *mac, bool is_for_us) {
    uint8_t at = next_entry;
    bool is_known = false;
    for (uint8_t n = 0; n < SMALL_ARP_ENTRIES; n++) {
        if (entries[n].address == address) {
            at = n;
            is_known = true;
        }
    }
    if (!is_known) {
        if (address != wanted && !is_for_us) {
            return;
        }
        next_entry = (uint8_t)((next_entry + 1u) % SMALL_ARP_ENTRIES);
    }
    entries[at].address = address;
    memcpy(entries[at].mac, mac, MAC_BYTES);
    if (address == wanted) {
        wanted = 0;
    }
}

static size_t compose(const uint8_t *to_mac, uint16_t operation, uint32_t target) {
    memcpy(frame + ETHERNET_TO, to_mac, MAC_BYTES);
    memcpy(frame + ETHERNET_FROM, own.mac, MAC_BYTES);
    frame_put_word(ETHERNET_TYPE, TYPE_ARP);
    memcpy(frame + ARP_FORMATS, formats, sizeof formats);
    frame_put_word(ARP_OPERATION, operation);
    memcpy(frame + ARP_SENDER_MAC, own.mac, MAC_BYTES);
    frame_put_address(ARP_SENDER, own.address);
    frame_put_address(ARP_TARGET, target);
    return ARP_FRAME_BYTES;
}

size_t arp_input(size_t bytes) {
    if (bytes < ARP_FRAME_BYTES || memcmp(frame + ARP_FORMATS, formats, sizeof formats) ||
        (frame[ARP_SENDER_MAC] & 1u)) {
        return 0;
    }
    uint32_t sender = frame_address(ARP_SENDER);
    bool is_for_us = frame_address(ARP_TARGET) == own.address;
    if (sender && sender != own.address) {
        learn(sender, frame + ARP_SENDER_MAC, is_for_us);
    }
    if (frame_word(ARP_OPERATION) != OPERATION_REQUEST || !is_for_us) {
        return 0;
    }
    memcpy(frame + ARP_TARGET_MAC, frame + ARP_SENDER_MAC, MAC_BYTES);
    return compose(frame + ARP_TARGET_MAC, OPERATION_REPLY, sender);
}

static size_t request(uint32_t target) {
    static const uint8_t all[MAC_BYTES] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    memset(frame + ARP_TARGET_MAC, 0, MAC_BYTES);
    return compose(all, OPERATION_REQUEST, target);
}

size_t arp_output(uint32_t now_ms) {
    if (must_announce) {
        must_announce = false;
        return request(own.address);
    }
    if (!wanted || (is_asked && now_ms - asked_ms < ASK_AGAIN_MS)) {
        return 0;
    }
    if (!requests_left) {
        wanted = 0;
        return 0;
    }
    requests_left--;
    is_asked = true;
    asked_ms = now_ms;
    return request(wanted);
}

uint32_t arp_wait_ms(uint32_t now_ms) {
    if (must_announce || (wanted && !is_asked)) {
        return 0;
    }
    uint32_t gone_ms = now_ms - asked_ms;
    return !wanted ? UINT32_MAX : gone_ms < ASK_AGAIN_MS ? ASK_AGAIN_MS - gone_ms : 0;
}

void arp_announce(void) { must_announce = true; }

bool arp_find(uint32_t address, uint8_t mac[6]) {
    uint32_t first = (address ^ own.address) & own.mask ? own.gateway : address;
    for (uint8_t n = 0; n < SMALL_ARP_ENTRIES; n++) {
        if (entries[n].address == first && first) {
            memcpy(mac, entries[n].mac, MAC_BYTES);
            return true;
        }
    }
    if (wanted != first) {
        wanted = first;
        is_asked = false;
        requests_left = MOST_REQUESTS;
    }
    return false;
}

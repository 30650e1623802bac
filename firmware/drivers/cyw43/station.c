/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The network that the station is in or looks for: the requests that ask for it, and the events that say how it went.
 * The handshakes of WPA2 and WPA3 run inside the chip. */
#include <string.h>

#include "cyw43.h"
#include "cyw43_bus.h"
#include "cyw43_control.h"
#include "cyw43_registers.h"

#define NAME_MOST_BYTES 32u
#define PASSPHRASE_MOST_BYTES 64u
#define SAE_MOST_BYTES 128u
#define KEY_IS_TEXT 1u
/* The supplicant's own: any version of EAPOL, and 2.5 s for a handshake. */
#define EAPOL_ANY UINT32_MAX
#define HANDSHAKE_LIMIT_MS 2500u
/* Frames with protected management: not at all, where the access point has it, always. */
#define PROTECTION_NONE 0u
#define PROTECTION_WHERE_KNOWN 1u
#define PROTECTION_NEEDED 2u
/* A join takes 3 to 5 s on boards; one of which nothing is heard for longer is tried again. */
#define JOIN_LIMIT_US 15000000u
#define AGAIN_US 2000000u

#define RETURN_STEP_MS 10u
#define LISTEN_BEACONS 1u
#define LISTEN_DTIMS 1u
#define LISTEN_ASSOCIATED 10u

static size_t bounded_length(const char *text, size_t most) {
    size_t length = 0;
    while (text && length < most && text[length]) {
        length++;
    }
    return length;
}

/* Length of 16 bits, flags of 16, and the text. */
static bool set_passphrase(struct cyw43 *cyw43, const char *passphrase) {
    size_t length = bounded_length(passphrase, PASSPHRASE_MOST_BYTES);
    uint8_t *to = cyw43_put16(cyw43_put16(cyw43_content(cyw43, NULL), (uint32_t)length), KEY_IS_TEXT);
    memcpy(to, passphrase, length);
    return cyw43_request(cyw43, REQUEST_PASSPHRASE, true, to + PASSPHRASE_MOST_BYTES);
}

static bool set_password(struct cyw43 *cyw43, const char *passphrase) {
    size_t length = bounded_length(passphrase, SAE_MOST_BYTES);
    uint8_t *to = cyw43_content(cyw43, "sae_password");
    to = cyw43_put16(to, (uint32_t)length);
    memcpy(to, passphrase, length);
    return cyw43_request(cyw43, REQUEST_SET, true, to + SAE_MOST_BYTES);
}

static bool set_keys(struct cyw43 *cyw43, const struct cyw43_network *network) {
    if (network->security == CYW43_OPEN) {
        return true;
    }
    return cyw43_set_named(cyw43, "bsscfg:sup_wpa2_eapver", EAPOL_ANY) &&
           cyw43_set_named(cyw43, "bsscfg:sup_wpa_tmo", HANDSHAKE_LIMIT_MS) &&
           (network->security == CYW43_WPA3 ? set_password(cyw43, network->passphrase)
                                            : set_passphrase(cyw43, network->passphrase));
}

static bool ask_for_network(struct cyw43 *cyw43, const struct cyw43_network *network) {
    static const struct {
        uint32_t ciphers, authentication, keys, protection;
    } asked[] = {{CIPHERS_NONE, AUTHENTICATION_OPEN, KEYS_NONE, PROTECTION_NONE},
                 {CIPHERS_AES, AUTHENTICATION_OPEN, KEYS_WPA2_PSK, PROTECTION_WHERE_KNOWN},
                 {CIPHERS_AES, AUTHENTICATION_SAE, KEYS_WPA3_SAE, PROTECTION_NEEDED}};
    unsigned n = network->security <= CYW43_WPA3 ? (unsigned)network->security : 0;
    bool is_set = cyw43_set(cyw43, REQUEST_CIPHERS, asked[n].ciphers) &&
                  cyw43_set_named(cyw43, "bsscfg:sup_wpa", asked[n].ciphers != CIPHERS_NONE) &&
                  set_keys(cyw43, network) && cyw43_set(cyw43, REQUEST_INFRASTRUCTURE, 1) &&
                  cyw43_set(cyw43, REQUEST_AUTHENTICATION, asked[n].authentication) &&
                  cyw43_set_named(cyw43, "mfp", asked[n].protection) &&
                  cyw43_set(cyw43, REQUEST_KEY_MANAGEMENT, asked[n].keys);
    if (!is_set) {
        return false;
    }
    size_t length = bounded_length(network->name, NAME_MOST_BYTES);
    uint8_t *to = cyw43_put32(cyw43_content(cyw43, NULL), (uint32_t)length);
    memcpy(to, network->name, length);
    return cyw43_request(cyw43, REQUEST_JOIN, true, to + NAME_MOST_BYTES);
}

/* Events of this attempt may come before the last request is answered. */
static void try_to_join(struct cyw43 *cyw43) {
    cyw43->has_link_event = cyw43->is_keyed = false;
    cyw43->link = CYW43_LINK_JOINING;
    cyw43->tried_us = cyw43_now_us(cyw43);
    if (!ask_for_network(cyw43, cyw43->network)) {
        cyw43->link = CYW43_LINK_REFUSED;
    }
}

void cyw43_join(struct cyw43 *cyw43, const struct cyw43_network *network) {
    cyw43->network = network;
    if (cyw43->is_running) {
        try_to_join(cyw43);
    }
}

bool cyw43_leave(struct cyw43 *cyw43) {
    cyw43->network = NULL;
    cyw43->link = CYW43_LINK_NONE;
    return cyw43->is_running && cyw43_request(cyw43, REQUEST_LEAVE, true, cyw43_content(cyw43, NULL));
}

void cyw43_tend(struct cyw43 *cyw43) {
    if (!cyw43->network || !cyw43->is_running || cyw43->link == CYW43_LINK_UP) {
        return;
    }
    uint32_t wait_us = cyw43->link == CYW43_LINK_JOINING ? JOIN_LIMIT_US : AGAIN_US;
    if (cyw43_is_over(cyw43, cyw43->tried_us, wait_us)) {
        try_to_join(cyw43);
    }
}

enum cyw43_link cyw43_link(const struct cyw43 *cyw43) { return cyw43->link; }

static bool is_waiting(const struct cyw43 *cyw43) { return cyw43->link == CYW43_LINK_JOINING; }

/* Whoever was in is out; who was on the way has been refused. */
static void thrown_out(struct cyw43 *cyw43) {
    bool is_secured = cyw43->network && cyw43->network->security != CYW43_OPEN;
    if (cyw43->link == CYW43_LINK_UP) {
        cyw43->link = CYW43_LINK_LOST;
        cyw43->tried_us = cyw43_now_us(cyw43);
    } else if (is_waiting(cyw43)) {
        cyw43->link = is_secured && !cyw43->is_keyed ? CYW43_LINK_WRONG_KEY : CYW43_LINK_REFUSED;
    }
}

static void go_up_if_all_is_there(struct cyw43 *cyw43) {
    bool has_keys = cyw43->is_keyed || (cyw43->network && cyw43->network->security == CYW43_OPEN);
    if (is_waiting(cyw43) && cyw43->has_link_event && has_keys) {
        cyw43->link = CYW43_LINK_UP;
    }
}

/* A join that ends without success: an authentication that failed before has the cause. */
static void join_ends(struct cyw43 *cyw43, uint32_t status) {
    if (is_waiting(cyw43) && status != STATUS_SUCCESS) {
        cyw43->link = status == STATUS_NOT_FOUND ? CYW43_LINK_NOT_FOUND : CYW43_LINK_REFUSED;
    }
}

static void keys_end(struct cyw43 *cyw43, uint32_t status, uint32_t reason) {
    if (status == STATUS_KEYED) {
        cyw43->is_keyed = true;
    } else if (is_waiting(cyw43) && reason) {
        cyw43->link = CYW43_LINK_WRONG_KEY;
    }
}

void cyw43_event(struct cyw43 *cyw43, uint32_t kind, uint32_t status, uint32_t reason, uint32_t flags) {
    switch (kind) {
    case EVENT_JOIN_ENDS:
        join_ends(cyw43, status);
        break;
    case EVENT_AUTHENTICATED:
        /* With WPA3 the passphrase is part of it. */
        if (status != STATUS_SUCCESS && is_waiting(cyw43)) {
            bool is_sae = cyw43->network && cyw43->network->security == CYW43_WPA3;
            cyw43->link = is_sae ? CYW43_LINK_WRONG_KEY : CYW43_LINK_REFUSED;
        }
        break;
    case EVENT_LINK:
        cyw43->has_link_event = flags & 1u;
        if (!cyw43->has_link_event && cyw43->link == CYW43_LINK_UP) {
            thrown_out(cyw43);
        }
        break;
    case EVENT_KEYS:
        keys_end(cyw43, status, reason);
        break;
    case EVENT_DEAUTHENTICATED:
    case EVENT_DEAUTHENTICATED_BY_PEER:
    case EVENT_DISASSOCIATED:
    case EVENT_DISASSOCIATED_BY_PEER:
        thrown_out(cyw43);
        break;
    default:
        break;
    }
    go_up_if_all_is_there(cyw43);
}

const char *cyw43_link_sentence(enum cyw43_link link) {
    switch (link) {
    case CYW43_LINK_NONE:
        return "The CYW43439 was not asked to join a network.";
    case CYW43_LINK_JOINING:
        return "The CYW43439 looks for its network.";
    case CYW43_LINK_UP:
        return "The CYW43439 is in its network.";
    case CYW43_LINK_NOT_FOUND:
        return "The CYW43439 does not find its network: is its name right, and is it at 2.4 GHz?";
    case CYW43_LINK_WRONG_KEY:
        return "The access point refuses the passphrase: is it right?";
    case CYW43_LINK_REFUSED:
        return "The access point refuses the station: does the network ask for another security?";
    case CYW43_LINK_LOST:
        return "The CYW43439 has lost its network, and looks for it.";
    }
    return "";
}

int cyw43_rssi_dbm(struct cyw43 *cyw43) {
    size_t bytes = 0;
    uint8_t *to = cyw43_content(cyw43, NULL);
    if (cyw43->link != CYW43_LINK_UP || !cyw43_request(cyw43, REQUEST_RSSI, false, to + 4)) {
        return 0;
    }
    const uint8_t *answer = cyw43_answer(cyw43, &bytes);
    return bytes < 4 ? 0 : (int)(int8_t)answer[0];
}

bool cyw43_save_power(struct cyw43 *cyw43, enum cyw43_power_save mode, uint32_t return_ms) {
    bool is_set = true;
    if (mode == CYW43_PM_2) {
        is_set = cyw43_set_named(cyw43, "pm2_sleep_ret", return_ms / RETURN_STEP_MS * RETURN_STEP_MS) &&
                 cyw43_set_named(cyw43, "bcn_li_bcn", LISTEN_BEACONS) &&
                 cyw43_set_named(cyw43, "bcn_li_dtim", LISTEN_DTIMS) &&
                 cyw43_set_named(cyw43, "assoc_listen", LISTEN_ASSOCIATED);
    }
    return is_set && cyw43_set(cyw43, REQUEST_POWER_SAVE, (uint32_t)mode);
}

bool cyw43_set_outputs(struct cyw43 *cyw43, uint32_t mask, uint32_t levels) {
    uint8_t *to = cyw43_content(cyw43, "gpioout");
    to = cyw43_put32(cyw43_put32(to, mask), levels);
    return cyw43_send_request(cyw43, REQUEST_SET, true, to);
}

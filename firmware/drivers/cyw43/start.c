/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* From power to a station that can join: the bus, the clocks, the firmware with its settings, the table of countries,
 * and how it shall be. */
#include <string.h>

#include "cyw43.h"
#include "cyw43_bus.h"
#include "cyw43_control.h"
#include "cyw43_registers.h"

/* Public drivers hold the power low for 20 ms, and wait 50 to 250 ms behind it. */
#define POWER_OFF_US 20000u
#define POWER_ON_US 50000u
#define ANSWER_LIMIT_US 200000u
#define CLOCK_LIMIT_US 50000u
/* 21.3 ms to the fast clock and 84.2 ms to packets, as logs of a Pico W have it. */
#define FIRMWARE_LIMIT_US 1000000u
#define LOOK_US 1000u
#define CORE_RESET_US 10u

/* A piece of the table: flags of 16 bits, kind of 16, length and check sum of 32, which nobody computes. */
#define TABLE_PIECE_BYTES 512u
#define TABLE_VERSION 0x1000u
#define TABLE_BEGINS 2u
#define TABLE_ENDS 4u
#define TABLE_KIND_CLM 2u

/* Events have a bit each. */
#define EVENT_MASK_BYTES 20u

/* Waits until `bits` of a register are `wanted`; false where that takes too long. */
static bool wait_for(struct cyw43 *cyw43, enum cyw43_function function, uint32_t address, uint32_t bits,
                     uint32_t wanted, uint32_t limit_us) {
    uint32_t from_us = cyw43_now_us(cyw43);
    size_t bytes = function == CYW43_BUS ? 4 : 1;
    for (;;) {
        uint32_t value = cyw43_bus_read(cyw43, function, address, bytes);
        if ((value & bits) == wanted && value != UINT32_MAX) {
            return true;
        }
        if (cyw43_is_over(cyw43, from_us, limit_us)) {
            return false;
        }
        cyw43->port->sleep(cyw43->context, LOOK_US);
    }
}

static bool set_bus_up(struct cyw43 *cyw43) {
    uint32_t from_us = cyw43_now_us(cyw43);
    while (cyw43_bus_read_first(cyw43, BUS_TEST) != BUS_TEST_VALUE) { /* the first read is worth nothing */
        if (cyw43_is_over(cyw43, from_us, ANSWER_LIMIT_US)) {
            return false;
        }
        cyw43->port->sleep(cyw43->context, LOOK_US);
    }
    cyw43_bus_write_first(cyw43, BUS_CONTROL, BUS_CONTROL_VALUE);
    cyw43_bus_write(cyw43, CYW43_BUS, BUS_DELAY_BACKPLANE, 1, BACKPLANE_DELAY_BYTES);
    return cyw43_bus_read(cyw43, CYW43_BUS, BUS_TEST, 4) == BUS_TEST_VALUE &&
           (cyw43_backplane_read(cyw43, CHIP_COMMON) & 0xffffu) == CHIP_ID;
}

static bool set_clock_up(struct cyw43 *cyw43) {
    cyw43_bus_write(cyw43, CYW43_BACKPLANE, CLOCKS, 1, CLOCKS_ASK_ALP);
    bool is_there = wait_for(cyw43, CYW43_BACKPLANE, CLOCKS, CLOCKS_HAVE_ALP, CLOCKS_HAVE_ALP, CLOCK_LIMIT_US);
    cyw43_bus_write(cyw43, CYW43_BACKPLANE, CLOCKS, 1, 0);
    return is_there;
}

/* A core runs with its clock, and comes out of reset with the clock forced. */
static void start_core(struct cyw43 *cyw43, uint32_t wrapper) {
    cyw43_backplane_write(cyw43, wrapper + WRAPPER_CONTROL, WRAPPER_CLOCK | WRAPPER_FORCE_CLOCK);
    cyw43_backplane_write(cyw43, wrapper + WRAPPER_RESET, 0);
    cyw43_pause(cyw43, CORE_RESET_US);
    cyw43_backplane_write(cyw43, wrapper + WRAPPER_CONTROL, WRAPPER_CLOCK);
    cyw43_pause(cyw43, CORE_RESET_US);
}

static void stop_core(struct cyw43 *cyw43, uint32_t wrapper) {
    cyw43_backplane_write(cyw43, wrapper + WRAPPER_RESET, WRAPPER_IN_RESET);
    cyw43_pause(cyw43, CORE_RESET_US);
}

/* The firmware from the memory's begin on; the settings at its end, before a word with their length and its complement.
 */
static void upload(struct cyw43 *cyw43) {
    const struct cyw43_image *image = cyw43->image;
    stop_core(cyw43, PROCESSOR_WRAPPER);
    start_core(cyw43, MEMORY_WRAPPER);
    cyw43_backplane_write(cyw43, MEMORY_BANK, 3);
    cyw43_backplane_write(cyw43, MEMORY_BANK_POWER, 0);
    cyw43_backplane_upload(cyw43, 0, image->firmware, image->firmware_bytes);
    uint32_t words = (uint32_t)image->nvram_bytes / 4u;
    cyw43_backplane_upload(cyw43, MEMORY_BYTES - 4u - 4u * words, image->nvram, 4u * words);
    cyw43_backplane_write(cyw43, MEMORY_BYTES - 4u, ~words << 16 | (words & 0xffffu));
}

static bool start_firmware(struct cyw43 *cyw43) {
    start_core(cyw43, PROCESSOR_WRAPPER);
    if (!wait_for(cyw43, CYW43_BACKPLANE, CLOCKS, CLOCKS_HAVE_HT, CLOCKS_HAVE_HT, FIRMWARE_LIMIT_US)) {
        return false;
    }
    cyw43_backplane_write(cyw43, SDIO_HOST_MASK, SDIO_HOST_MASK_PACKETS);
    cyw43_bus_write(cyw43, CYW43_BACKPLANE, WATERMARK, 1, WATERMARK_BYTES);
    if (!wait_for(cyw43, CYW43_BUS, BUS_STATUS, STATUS_TAKES_PACKETS, STATUS_TAKES_PACKETS, FIRMWARE_LIMIT_US)) {
        return false;
    }
    /* The bus stays awake: to let it sleep would save little of what the radio takes. */
    cyw43_bus_write(cyw43, CYW43_BACKPLANE, PULL_UPS, 1, 0);
    cyw43_bus_write(cyw43, CYW43_BACKPLANE, SLEEP_CONTROL, 1, SLEEP_KEEP_ON);
    if (!wait_for(cyw43, CYW43_BACKPLANE, SLEEP_CONTROL, SLEEP_IS_ON, SLEEP_IS_ON, CLOCK_LIMIT_US)) {
        return false;
    }
    cyw43_bus_write(cyw43, CYW43_BUS, BUS_INTERRUPTS, 2, UINT16_MAX);
    cyw43_bus_write(cyw43, CYW43_BUS, BUS_INTERRUPTS_ENABLED, 2, INTERRUPTS_WANTED);
    cyw43->credit = (uint8_t)(cyw43->sequence + 1); /* until the chip says more */
    return true;
}

static bool load_regions(struct cyw43 *cyw43) {
    const uint8_t *table = cyw43->image->clm;
    size_t bytes = cyw43->image->clm_bytes;
    for (size_t done = 0; done < bytes; done += TABLE_PIECE_BYTES) {
        size_t piece = bytes - done < TABLE_PIECE_BYTES ? bytes - done : TABLE_PIECE_BYTES;
        uint32_t flags = TABLE_VERSION | (done ? 0 : TABLE_BEGINS) | (done + piece == bytes ? TABLE_ENDS : 0);
        uint8_t *to = cyw43_content(cyw43, "clmload");
        to = cyw43_put32(cyw43_put32(cyw43_put16(cyw43_put16(to, flags), TABLE_KIND_CLM), (uint32_t)piece), 0);
        memcpy(to, table + done, piece);
        if (!cyw43_request(cyw43, REQUEST_SET, true, to + piece)) {
            return false;
        }
    }
    size_t got;
    uint8_t *to = cyw43_content(cyw43, "clmload_status");
    return cyw43_request(cyw43, REQUEST_GET, false, to + 4u) && cyw43_get32(cyw43_answer(cyw43, &got)) == 0;
}

static bool set_mac(struct cyw43 *cyw43, const uint8_t mac[6]) {
    uint8_t *to = cyw43_content(cyw43, "cur_etheraddr");
    size_t got;
    if (mac) {
        memcpy(to, mac, 6);
        if (!cyw43_request(cyw43, REQUEST_SET, true, to + 6u)) {
            return false;
        }
        cyw43_content(cyw43, "cur_etheraddr");
    }
    if (!cyw43_request(cyw43, REQUEST_GET, false, to + 6u)) {
        return false;
    }
    memcpy(cyw43->mac, cyw43_answer(cyw43, &got), 6);
    return true;
}

/* Letters, revision (-1 for the newest), letters. */
static bool set_country(struct cyw43 *cyw43, const char country[2]) {
    uint8_t *to = cyw43_content(cyw43, "country");
    memcpy(to, country, 2);
    cyw43_put32(to + 4, UINT32_MAX);
    memcpy(to + 8, country, 2);
    return cyw43_request(cyw43, REQUEST_SET, true, to + 12u);
}

static bool ask_for_events(struct cyw43 *cyw43) {
    static const uint8_t wanted[] = {EVENT_JOIN_ENDS,
                                     EVENT_AUTHENTICATED,
                                     EVENT_DEAUTHENTICATED,
                                     EVENT_DEAUTHENTICATED_BY_PEER,
                                     EVENT_DISASSOCIATED,
                                     EVENT_DISASSOCIATED_BY_PEER,
                                     EVENT_LINK,
                                     EVENT_KEYS};
    uint8_t *to = cyw43_content(cyw43, "bsscfg:event_msgs");
    to = cyw43_put32(to, 0);
    for (unsigned n = 0; n < sizeof wanted; n++) {
        to[wanted[n] / 8u] |= (uint8_t)(1u << wanted[n] % 8u);
    }
    return cyw43_request(cyw43, REQUEST_SET, true, to + EVENT_MASK_BYTES);
}

/* No frames glued together; a station that may have an access point beside it; automatic antenna; up. */
static bool set_station_up(struct cyw43 *cyw43, const uint8_t mac[6], const char country[2]) {
    return cyw43_set_named(cyw43, "bus:txglom", 0) && cyw43_set_named(cyw43, "apsta", 1) && set_mac(cyw43, mac) &&
           set_country(cyw43, country) && cyw43_set(cyw43, REQUEST_ANTENNA, 0) && ask_for_events(cyw43) &&
           cyw43_request(cyw43, REQUEST_UP, true, cyw43_content(cyw43, NULL));
}

static void forget(struct cyw43 *cyw43) {
    const struct cyw43 fresh = {.port = cyw43->port, .context = cyw43->context, .image = cyw43->image};
    *cyw43 = fresh;
}

enum cyw43_fault cyw43_start(struct cyw43 *cyw43, uint32_t hz, const uint8_t mac[6], const char country[2]) {
    forget(cyw43);
    cyw43->bus_hz = cyw43->port->start(cyw43->context, hz < CYW43_MOST_BUS_HZ ? hz : CYW43_MOST_BUS_HZ);
    cyw43->port->power(cyw43->context, false);
    cyw43_pause(cyw43, POWER_OFF_US);
    cyw43->port->power(cyw43->context, true);
    cyw43_pause(cyw43, POWER_ON_US);
    if (!set_bus_up(cyw43)) {
        return CYW43_NO_CHIP;
    }
    if (!set_clock_up(cyw43)) {
        return CYW43_NO_CLOCK;
    }
    upload(cyw43);
    if (!start_firmware(cyw43)) {
        return CYW43_NO_FIRMWARE;
    }
    if (cyw43->image->clm_bytes && !load_regions(cyw43)) {
        return CYW43_NO_REGIONS;
    }
    cyw43->is_running = set_station_up(cyw43, mac, country);
    return cyw43->is_running ? CYW43_READY : CYW43_NO_ANSWER;
}

uint32_t cyw43_bus_hz(const struct cyw43 *cyw43) { return cyw43->bus_hz; }

const uint8_t *cyw43_mac(const struct cyw43 *cyw43) { return cyw43->mac; }

const char *cyw43_sentence(enum cyw43_fault fault) {
    switch (fault) {
    case CYW43_READY:
        return "The CYW43439 is ready.";
    case CYW43_NO_CHIP:
        return "No CYW43439 answers: is this board a Pico W?";
    case CYW43_NO_CLOCK:
        return "The CYW43439's clock does not start: take the board's power away and give it back.";
    case CYW43_NO_FIRMWARE:
        return "The CYW43439's firmware does not start: was the image built with the firmware and the NVRAM of this "
               "board?";
    case CYW43_NO_ANSWER:
        return "The CYW43439's firmware does not answer: take the board's power away and give it back.";
    case CYW43_NO_REGIONS:
        return "The CYW43439 refuses the table of countries: was the image built with the one of its firmware?";
    }
    return "";
}

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Start, readiness and interrupts of the chip. */
#include "wiznet.h"

#include "wiznet_bus.h"
#include "wiznet_registers.h"

#define LINK_POLL_US 1000u
/* After the time in which the chip starts by its datasheet. */
#define ANSWER_LIMIT_US 100000u

static inline uint32_t now_us(const struct wiznet *wiznet) {
    return WIZNET_PORT(wiznet)->microseconds(wiznet->context);
}

static inline bool is_over(const struct wiznet *wiznet, uint32_t from_us, uint32_t limit_us) {
    return now_us(wiznet) - from_us >= limit_us;
}

static bool has_version(struct wiznet *wiznet) {
    const struct wiznet_chip *chip = WIZNET_CHIP(wiznet);
    return wiznet_bus_read8(wiznet, chip->version_register) == chip->version;
}

/* A chip without a version register is there when it keeps what was written: gateway and mask, which stay as they are.
 * The mask stands behind the gateway. */
static bool keeps_addresses(struct wiznet *wiznet) {
    uint32_t kept[2];
    wiznet_bus_read(wiznet, COMMON(wiznet, GAR), (uint8_t *)kept, sizeof kept);
    return kept[0] == wiznet->gateway && kept[1] == wiznet->mask;
}

static bool chip_answers(struct wiznet *wiznet) {
    return WIZNET_CHIP(wiznet)->version_register ? has_version(wiznet) : keeps_addresses(wiznet);
}

static void write_gateway_and_mask(struct wiznet *wiznet, uint32_t gateway, uint32_t mask) {
    wiznet_bus_write(wiznet, COMMON(wiznet, GAR), (const uint8_t *)&gateway, 4);
    wiznet_bus_write(wiznet, COMMON(wiznet, SUBR), (const uint8_t *)&mask, 4);
    if (!WIZNET_CHIP(wiznet)->version_register) {
        wiznet->gateway = gateway;
        wiznet->mask = mask;
    }
}

/* After a reset there is nothing yet that it could have kept. */
static bool chip_answers_first(struct wiznet *wiznet) {
    if (!WIZNET_CHIP(wiznet)->version_register) {
        write_gateway_and_mask(wiznet, 0x69963ca5u, 0);
    }
    return chip_answers(wiznet);
}

/* Waits for that long at least. The clock counts whole microseconds, and the first of them may be nearly over. */
static void pause(const struct wiznet *wiznet, uint32_t least_us) {
    uint32_t from_us = now_us(wiznet), limit_us = least_us + 1u;
    while (!is_over(wiznet, from_us, limit_us)) {
        WIZNET_PORT(wiznet)->sleep(wiznet->context, limit_us - (now_us(wiznet) - from_us));
    }
}

enum wiznet_fault wiznet_start(struct wiznet *wiznet, uint32_t hz, const uint8_t mac[6]) {
    const struct wiznet_chip *chip = WIZNET_CHIP(wiznet);
    wiznet->spi_hz = WIZNET_PORT(wiznet)->start(wiznet->context, hz < chip->most_spi_hz ? hz : chip->most_spi_hz);
    WIZNET_PORT(wiznet)->reset(wiznet->context, true);
    pause(wiznet, chip->reset_us);
    WIZNET_PORT(wiznet)->reset(wiznet->context, false);
    pause(wiznet, (uint32_t)chip->start_ms * 1000u);
    uint32_t from_us = now_us(wiznet);
    while (!chip_answers_first(wiznet)) {
        if (is_over(wiznet, from_us, ANSWER_LIMIT_US)) {
            return WIZNET_NO_CHIP;
        }
    }
    if (chip->lock) {
        wiznet_bus_write8(wiznet, chip->lock, (uint8_t)chip->unlock);
    }
    wiznet_bus_write(wiznet, COMMON(wiznet, SHAR), mac, 6);
    wiznet->has_address = false;
    return WIZNET_READY;
}

uint32_t wiznet_spi_hz(const struct wiznet *wiznet) { return wiznet->spi_hz; }

void wiznet_set_addresses(struct wiznet *wiznet, const struct wiznet_addresses *addresses) {
    write_gateway_and_mask(wiznet, addresses->gateway, addresses->mask);
    wiznet_bus_write(wiznet, COMMON(wiznet, SIPR), (const uint8_t *)&addresses->address, 4);
    wiznet->has_address = addresses->address != 0;
}

enum wiznet_fault wiznet_query(struct wiznet *wiznet) {
    const struct wiznet_chip *chip = WIZNET_CHIP(wiznet);
    if (!chip_answers(wiznet)) {
        return WIZNET_NO_CHIP;
    }
    if (chip->phy && !(wiznet_bus_read8(wiznet, chip->phy) & chip->phy_link)) {
        return WIZNET_NO_LINK;
    }
    return wiznet->has_address ? WIZNET_READY : WIZNET_NO_ADDRESS;
}

bool wiznet_knows_link(const struct wiznet *wiznet) {
    (void)wiznet; /* where the chip is known to the compiler */
    return WIZNET_CHIP(wiznet)->phy != 0;
}

enum wiznet_fault wiznet_wait_until_ready(struct wiznet *wiznet, uint32_t limit_ms) {
    uint32_t from_us = now_us(wiznet);
    for (;;) {
        enum wiznet_fault fault = wiznet_query(wiznet);
        if (fault == WIZNET_READY || is_over(wiznet, from_us, limit_ms * 1000u)) {
            return fault;
        }
        WIZNET_PORT(wiznet)->sleep(wiznet->context, LINK_POLL_US);
    }
}

const char *wiznet_sentence(const struct wiznet *wiznet, enum wiznet_fault fault) {
    (void)wiznet;
    switch (fault) {
    case WIZNET_READY:
        return WIZNET_CHIP(wiznet)->sentences.ready;
    case WIZNET_NO_CHIP:
        return WIZNET_CHIP(wiznet)->sentences.no_chip;
    case WIZNET_NO_LINK:
        return WIZNET_CHIP(wiznet)->sentences.no_link;
    case WIZNET_NO_ADDRESS:
        return WIZNET_CHIP(wiznet)->sentences.no_address;
    }
    return "";
}

const char *wiznet_chip_name(const struct wiznet *wiznet) {
    (void)wiznet;
    return WIZNET_CHIP(wiznet)->name;
}

void wiznet_watch_sockets(struct wiznet *wiznet, uint32_t sockets) {
    wiznet_bus_write8(wiznet, WIZNET_CHIP(wiznet)->interrupt_mask, (uint8_t)sockets);
}

uint32_t wiznet_interrupts(struct wiznet *wiznet) {
    return wiznet_bus_read8(wiznet, WIZNET_CHIP(wiznet)->interrupts) & ((1u << WIZNET_CHIP(wiznet)->sockets) - 1u);
}

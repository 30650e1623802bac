/* Implementation of simulated_bus.h. Each look at the clock takes a microsecond, so that whoever waits for time to pass
 * does get there. */
#include "simulated_bus.h"

static uint32_t start(void *context, uint32_t hz) {
    (void)context;
    return hz;
}

static void reset(void *context, bool is_held) {
    (void)context;
    (void)is_held;
}

static unsigned transfer(struct simulated_bus *bus, unsigned place, const uint8_t *out, uint8_t *in, size_t count) {
    for (size_t at = 0; at < count; at++) {
        uint8_t answer = bus->peer(bus->context, place++, out ? out[at] : 0);
        if (in) {
            in[at] = answer;
        }
    }
    return place;
}

static void end_transaction(struct simulated_bus *bus, unsigned bytes) {
    bus->transactions++;
    bus->now_us += 1 + bytes / 4; /* at 33 MHz */
}

static void exchange(void *context, const uint8_t *header, size_t header_bytes, const uint8_t *out, uint8_t *in,
                     size_t count) {
    unsigned place = transfer(context, 0, header, NULL, header_bytes);
    end_transaction(context, transfer(context, place, out, in, count));
}

static void write_filled(void *context, const uint8_t *header, size_t header_bytes, const uint8_t *out, size_t count,
                         size_t zeros) {
    unsigned place = transfer(context, 0, header, NULL, header_bytes);
    place = transfer(context, place, out, NULL, count);
    end_transaction(context, transfer(context, place, NULL, NULL, zeros));
}

static uint32_t microseconds(void *context) {
    struct simulated_bus *bus = context;
    return (uint32_t)++bus->now_us;
}

static void sleep(void *context, uint32_t limit_us) {
    struct simulated_bus *bus = context;
    bus->now_us += limit_us;
}

static void exchange_each(void *context, uint8_t opcode, uint16_t address, const uint8_t *out, uint8_t *in,
                          size_t count) {
    struct simulated_bus *bus = context;
    for (size_t at = 0; at < count; at++, address++) {
        const uint8_t header[3] = {opcode, (uint8_t)(address >> 8), (uint8_t)address};
        exchange(context, header, sizeof header, out ? out + at : NULL, in ? in + at : NULL, 1);
        bus->in_runs++;
    }
}

const struct wiznet_port simulated_port_with_runs = {start,        reset, exchange,     write_filled,
                                                     microseconds, sleep, exchange_each};
const struct wiznet_port simulated_port = {start, reset, exchange, write_filled, microseconds, sleep, NULL};

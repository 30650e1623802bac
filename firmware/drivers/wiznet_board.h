/* The one network chip of this board as drivers/wiznet has it: which one board.h names, on the HAL's SPI. Given to the
 * driver as WIZNET_CONFIG, so that the compiler knows both and leaves out what other chips need. */
#ifndef WIZNET_BOARD_H
#define WIZNET_BOARD_H

#include "board.h"
#include "clock.h"
#include "gpio.h"
#include "spi.h"

/* Each file that asks for a fact has the table, of which nothing but that fact is left. */
#if defined(BOARD_WIZNET_W6100)
#include "chips/w6100.c"
#define BOARD_WIZNET_CHIP wiznet_w6100
#elif defined(BOARD_WIZNET_W5500)
#include "chips/w5500.c"
#define BOARD_WIZNET_CHIP wiznet_w5500
#elif defined(BOARD_WIZNET_W5200)
#include "chips/w5200.c"
#define BOARD_WIZNET_CHIP wiznet_w5200
#elif defined(BOARD_WIZNET_W5100S)
#include "chips/w5100s.c"
#define BOARD_WIZNET_CHIP wiznet_w5100s
#elif defined(BOARD_WIZNET_W5100)
#include "chips/w5100.c"
#define BOARD_WIZNET_CHIP wiznet_w5100
#else
#error "board.h names no WIZnet chip: define BOARD_WIZNET_W5100, _W5100S, _W5200, _W5500 or _W6100"
#endif

/* Where tasks share the bus, each transaction takes and gives it. */
#ifdef BOARD_BUS_IS_SHARED
#include "bus_mutex.h"
#define BOARD_BUS_TAKE() bus_take()
#define BOARD_BUS_GIVE() bus_give()
#else
#define BOARD_BUS_TAKE() ((void)0)
#define BOARD_BUS_GIVE() ((void)0)
#endif

static inline uint32_t board_wiznet_start(void *context, uint32_t hz) {
    (void)context;
    return spi_start(hz);
}

static inline void board_wiznet_reset(void *context, bool is_held) {
    (void)context;
#ifndef BOARD_NETWORK_RSTN
    (void)is_held; /* it is reset with the board */
#else
    if (is_held) {
        gpio_output(BOARD_NETWORK_RSTN, false);
    } else {
        gpio_put(BOARD_NETWORK_RSTN, true);
    }
#endif
}

static inline void board_wiznet_exchange(void *context, const uint8_t *header, size_t header_bytes, const uint8_t *out,
                                         uint8_t *in, size_t count) {
    (void)context;
    BOARD_BUS_TAKE();
    spi_exchange(header, header_bytes, out, in, count);
    BOARD_BUS_GIVE();
}

static inline void board_wiznet_write_filled(void *context, const uint8_t *header, size_t header_bytes,
                                             const uint8_t *out, size_t count, size_t zeros) {
    (void)context;
    BOARD_BUS_TAKE();
    spi_write_filled(header, header_bytes, out, count, zeros);
    BOARD_BUS_GIVE();
}

#ifdef SPI_HAS_EXCHANGE_EACH
static inline void board_wiznet_exchange_each(void *context, uint8_t opcode, uint16_t address, const uint8_t *out,
                                              uint8_t *in, size_t count) {
    (void)context;
    BOARD_BUS_TAKE();
    spi_exchange_each(opcode, address, out, in, count);
    BOARD_BUS_GIVE();
}
#else
#define board_wiznet_exchange_each NULL
#endif

static inline uint32_t board_wiznet_microseconds(void *context) {
    (void)context;
    return clock_us();
}

static inline void board_wiznet_sleep(void *context, uint32_t limit_us) {
    (void)context;
    clock_sleep(limit_us);
}

static const struct wiznet_port board_wiznet_port = {
    board_wiznet_start,        board_wiznet_reset, board_wiznet_exchange,     board_wiznet_write_filled,
    board_wiznet_microseconds, board_wiznet_sleep, board_wiznet_exchange_each};

#define WIZNET_CHIP(wiznet) ((void)(wiznet), &BOARD_WIZNET_CHIP)
#define WIZNET_PORT(wiznet) ((void)(wiznet), &board_wiznet_port)

/* Its chip and port are the ones above, so that it needs no pointers to them. */
extern struct wiznet board_wiznet;

#endif

/* The driver's port on the Pico SDK's functions, with a chip at the other end of its SPI: start, and bytes both ways.
 */
#include <string.h>

#include "expect.h"
#include "hardware/gpio.h"
#include "pico/stdlib.h"
#include "simulated_chip.h"
#include "wiznet_pico.h"
#include "wiznet_sockets.h"

#define CS 17u
#define RESET 20u

static struct simulated_chip chip;
static uint64_t now_us;
static unsigned place, resets;
static bool is_selected;

uint32_t simulated_sdk_microseconds(void) { return (uint32_t)++now_us; }
void sleep_us(uint64_t us) { now_us += us; }
void gpio_init(unsigned int gpio) { (void)gpio; }
void gpio_set_function(unsigned int gpio, gpio_function_t fn) {
    (void)gpio;
    (void)fn;
}
unsigned int spi_init(spi_inst_t *spi, unsigned int baudrate) { return spi == spi0 ? baudrate - 1 : 0; }

void simulated_sdk_put(unsigned int gpio, bool value) {
    if (gpio == CS) {
        is_selected = !value;
        place = 0;
    } else if (gpio == RESET) {
        resets += !value;
    }
}

bool simulated_sdk_get(unsigned int gpio) {
    (void)gpio;
    return true;
}

int spi_write_blocking(spi_inst_t *spi, const uint8_t *src, size_t len) {
    EXPECT(spi == spi0 && is_selected);
    for (size_t at = 0; at < len; at++) {
        chip.bus.peer(&chip, place++, src[at]);
    }
    return (int)len;
}

int spi_read_blocking(spi_inst_t *spi, uint8_t repeated_tx_data, uint8_t *dst, size_t len) {
    EXPECT(spi == spi0 && is_selected);
    for (size_t at = 0; at < len; at++) {
        dst[at] = chip.bus.peer(&chip, place++, repeated_tx_data);
    }
    return (int)len;
}

static struct wiznet_pico board = {.spi = spi0, .miso = 16, .cs = CS, .sck = 18, .mosi = 19, .reset = RESET};
static struct wiznet wiznet = {.chip = &wiznet_w5500, .port = &wiznet_pico_port, .context = &board};

static void the_chip_is_reset_and_found(void) {
    static const uint8_t mac[6] = {2, 0, 0, 0x41, 0x57, 0x50};
    chip_begin(&chip, &simulated_w5500);
    EXPECT_EQUAL(wiznet_start(&wiznet, 33000000, mac), WIZNET_READY);
    EXPECT_EQUAL(wiznet_spi_hz(&wiznet), 32999999);
    EXPECT_EQUAL(resets, 1);
    EXPECT(!memcmp(chip_common(&chip, 0x09), mac, 6));
}

static void bytes_go_both_ways(void) {
    uint8_t read[8];
    size_t sent;
    wiznet_share_memory(&wiznet, 1);
    EXPECT(wiznet_socket_open_udp(&wiznet, 0, 5001));
    EXPECT(wiznet_socket_room(&wiznet, 0, 8) >= 8);
    EXPECT_EQUAL(wiznet_socket_write(&wiznet, 0, (const uint8_t *)"to there", 8), 8);
    EXPECT(wiznet_socket_send(&wiznet, 0));
    EXPECT(!memcmp(chip_sent(&chip, 0, &sent), "to there", 8));
    EXPECT(chip_receive(&chip, 0, (const uint8_t *)"and back", 8));
    EXPECT_EQUAL(wiznet_socket_received(&wiznet, 0), 8);
    wiznet_socket_read(&wiznet, 0, read, 8);
    EXPECT(!memcmp(read, "and back", 8));
    EXPECT(!is_selected);
}

int main(void) {
    the_chip_is_reset_and_found();
    bytes_go_both_ways();
    EXPECT_EQUAL(chip.faults, 0);
    return expect_result();
}

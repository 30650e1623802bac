/* The driver's port on the Pico SDK's functions, with a chip at the other end of its SPI: start, and bytes both ways.
 */
#include <string.h>

#include "expect.h"
#include "simulated_sdk.h"
#include "wiznet_pico.h"
#include "wiznet_sockets.h"

static struct simulated_chip *const chip = &simulated_sdk_chip;

static struct wiznet_pico board = {.spi = spi0, .miso = 16, .cs = 17, .sck = 18, .mosi = 19, .reset = 20};
static struct wiznet wiznet = {.chip = &wiznet_w5500, .port = &wiznet_pico_port, .context = &board};

static void the_chip_is_reset_and_found(void) {
    static const uint8_t mac[6] = {2, 0, 0, 0x41, 0x57, 0x50};
    chip_begin(chip, &simulated_w5500);
    EXPECT_EQUAL(wiznet_start(&wiznet, 33000000, mac), WIZNET_READY);
    EXPECT_EQUAL(wiznet_spi_hz(&wiznet), 32999999);
    EXPECT_EQUAL(simulated_sdk_resets, 1);
    EXPECT(!memcmp(chip_common(chip, 0x09), mac, 6));
}

static void bytes_go_both_ways(void) {
    uint8_t read[8];
    size_t sent;
    wiznet_share_memory(&wiznet, 1);
    EXPECT(wiznet_socket_open_udp(&wiznet, 0, 5001));
    EXPECT(wiznet_socket_room(&wiznet, 0, 8) >= 8);
    EXPECT_EQUAL(wiznet_socket_write(&wiznet, 0, (const uint8_t *)"to there", 8), 8);
    EXPECT(wiznet_socket_send(&wiznet, 0));
    EXPECT(!memcmp(chip_sent(chip, 0, &sent), "to there", 8));
    EXPECT(chip_receive(chip, 0, (const uint8_t *)"and back", 8));
    EXPECT_EQUAL(wiznet_socket_received(&wiznet, 0), 8);
    wiznet_socket_read(&wiznet, 0, read, 8);
    EXPECT(!memcmp(read, "and back", 8));
    EXPECT(!simulated_sdk_is_selected);
}

int main(void) {
    the_chip_is_reset_and_found();
    bytes_go_both_ways();
    EXPECT_EQUAL(chip->faults, 0);
    return expect_result();
}

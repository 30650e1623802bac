/* Two chips of different kinds in one program, at the same time: neither knows of the other. */
#include <string.h>

#include "expect.h"
#include "simulated_chip.h"
#include "wiznet_frames.h"
#include "wiznet_sockets.h"

static const uint8_t mac[6] = {2, 0, 0, 0x41, 0x57, 0x50};
static struct simulated_chip first_chip, second_chip;
static struct wiznet first = {.chip = &wiznet_w5500, .port = &simulated_port, .context = &first_chip.bus};
static struct wiznet second = {.chip = &wiznet_w5100s, .port = &simulated_port, .context = &second_chip.bus};

static void start_both(void) {
    chip_begin(&first_chip, &simulated_w5500);
    chip_begin(&second_chip, &simulated_w5100s);
    EXPECT_EQUAL(wiznet_start(&first, 33300000, mac), WIZNET_READY);
    EXPECT_EQUAL(wiznet_start(&second, 33300000, mac), WIZNET_READY);
}

static void open_sockets_of_both(void) {
    wiznet_share_memory(&first, 8);
    wiznet_share_memory(&second, 2);
    EXPECT_EQUAL(chip_memory_kib(&first_chip, 0, true), 2);
    EXPECT_EQUAL(chip_memory_kib(&second_chip, 1, true), 2);
    EXPECT(wiznet_socket_open_udp(&first, 7, 5001));
    EXPECT(wiznet_socket_open_udp(&second, 1, 5002));
}

static void each_sends_what_was_written_to_it(void) {
    size_t sent;
    EXPECT(wiznet_socket_room(&first, 7, 5) >= 5 && wiznet_socket_room(&second, 1, 6) >= 6);
    EXPECT_EQUAL(wiznet_socket_write(&first, 7, (const uint8_t *)"first", 5), 5);
    EXPECT_EQUAL(wiznet_socket_write(&second, 1, (const uint8_t *)"second", 6), 6);
    EXPECT(wiznet_socket_send(&first, 7) && wiznet_socket_send(&second, 1));
    EXPECT(!memcmp(chip_sent(&first_chip, 7, &sent), "first", 5));
    EXPECT_EQUAL(sent, 5);
    EXPECT(!memcmp(chip_sent(&second_chip, 1, &sent), "second", 6));
    EXPECT_EQUAL(sent, 6);
}

static void each_has_its_own_interrupts(void) {
    static const uint8_t datagram[8] = {192, 168, 1, 1, 0, 7, 0, 0};
    wiznet_watch_sockets(&first, 0xff);
    wiznet_watch_sockets(&second, 0xf);
    uint32_t before = wiznet_interrupts(&second);
    EXPECT(chip_receive(&first_chip, 3, datagram, sizeof datagram));
    EXPECT(wiznet_interrupts(&first) & 1u << 3);
    EXPECT_EQUAL(wiznet_interrupts(&second), before);
}

/* One carries frames for a stack in software while the other serves with its own sockets. */
static void one_carries_frames_while_the_other_has_sockets(void) {
    static uint8_t frame[64];
    size_t sent;
    EXPECT(wiznet_frames_open(&first));
    EXPECT(wiznet_socket_listen(&second, 0, 80));
    chip_forget_sent(&first_chip, 0);
    wiznet_frames_write(&first, frame, sizeof frame, true);
    EXPECT(wiznet_frames_send(&first));
    chip_sent(&first_chip, 0, &sent);
    EXPECT_EQUAL(sent, sizeof frame);
    EXPECT_EQUAL(wiznet_socket_state(&second, 0), WIZNET_SOCKET_LISTENING);
}

static void each_is_called_by_its_name(void) {
    EXPECT(!strcmp(wiznet_chip_name(&first), "W5500"));
    EXPECT(!strcmp(wiznet_sentence(&second, WIZNET_READY), "W5100S is ready."));
}

int main(void) {
    start_both();
    open_sockets_of_both();
    each_sends_what_was_written_to_it();
    each_has_its_own_interrupts();
    one_carries_frames_while_the_other_has_sockets();
    each_is_called_by_its_name();
    EXPECT_EQUAL(first_chip.faults + second_chip.faults, 0);
    return expect_result();
}

/* The MAC over RMII, with a port in memory: which frames it takes, what it drops and why, and what it sends. */
#include <string.h>

#include "expect.h"
#include "rmii.h"
#include "rmii_mac.h"
#include "simulated_port.h"

static const uint8_t own[6] = {2, 0, 0, 0x41, 0x57, 0x50};
static uint8_t frame[1600], found[1600];
static unsigned wakes;

static void wake(void) { wakes++; }

static void start(void) {
    wakes = 0;
    rmii_mac_start(own, wake);
}

/* To this station, and otherwise different for each seed. */
static const uint8_t *frame_of(size_t bytes, unsigned seed) {
    for (size_t n = 0; n < bytes; n++) {
        frame[n] = (uint8_t)(n * 7u + seed);
    }
    memcpy(frame, own, sizeof own);
    return frame;
}

static bool takes(size_t bytes, unsigned seed) {
    const uint8_t *wanted = frame_of(bytes, seed);
    if (rmii_mac_next() != bytes) {
        return false;
    }
    bool is_right = rmii_mac_read(found, 20) && rmii_mac_read(found + 20, bytes - 20);
    rmii_mac_finish();
    return is_right && memcmp(found, wanted, bytes) == 0;
}

static void frames_come_in_their_order_and_across_the_end_of_the_ring(void) {
    start();
    for (unsigned round = 0; round < 40; round++) {
        port_receives(frame_of(60 + round * 31, round), 60 + round * 31, true);
        port_receives(frame_of(61, round), 61, true);
        EXPECT(takes(60 + round * 31, round));
        EXPECT(takes(61, round));
        EXPECT_EQUAL(rmii_mac_next(), 0);
    }
    EXPECT_EQUAL(wakes, 80);
    EXPECT_EQUAL(rmii_mac_counts()->received, 80);
}

static void a_frame_with_a_wrong_check_sequence_is_told_at_its_last_byte(void) {
    start();
    port_receives(frame_of(100, 1), 100, false);
    EXPECT_EQUAL(rmii_mac_next(), 100);
    EXPECT(rmii_mac_read(found, 99));
    EXPECT(!rmii_mac_read(found, 1));
    rmii_mac_finish();
    EXPECT_EQUAL(rmii_mac_counts()->damaged, 1);
    EXPECT_EQUAL(rmii_mac_next(), 0);
}

static void frames_for_others_are_left_out_and_those_for_groups_are_not(void) {
    start();
    static const uint8_t to[4][6] = {{2, 0, 0, 0x41, 0x57, 0x51},
                                     {1, 0, 0x5e, 0, 0, 1},
                                     {2, 0, 0, 0x41, 0x56, 0x50},
                                     {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
    for (unsigned n = 0; n < 4; n++) {
        frame_of(60 + n, n);
        memcpy(frame, to[n], 6);
        port_receives(frame, 60 + n, true);
    }
    EXPECT_EQUAL(rmii_mac_next(), 61);
    rmii_mac_finish();
    EXPECT_EQUAL(rmii_mac_next(), 63);
    rmii_mac_finish();
    EXPECT_EQUAL(rmii_mac_next(), 0);
}

static void frames_of_a_size_that_cannot_be_are_counted(void) {
    start();
    port_receives(frame_of(59, 1), 59, true);
    port_receives(frame_of(1519, 1), 1519, true);
    EXPECT_EQUAL(rmii_mac_counts()->wrong_size, 2);
    EXPECT_EQUAL(rmii_mac_next(), 0);
    port_receives(frame_of(1518, 1), 1518, true);
    EXPECT(takes(1518, 1));
}

static void what_a_full_ring_overwrote_is_dropped_and_what_came_last_is_not(void) {
    start();
    for (unsigned n = 0; n < 4; n++) {
        port_receives(frame_of(1514, n), 1514, true);
    }
    /* 6072 bytes came, and the ring holds the last 4096: two frames whole. */
    EXPECT(takes(1514, 2));
    EXPECT(takes(1514, 3));
    EXPECT_EQUAL(rmii_mac_counts()->overrun, 2);
}

static void a_frame_that_another_is_overwriting_fails_its_check_sequence(void) {
    start();
    port_receives(frame_of(1514, 0), 1514, true);
    port_receives(frame_of(1514, 1), 1514, true);
    port_is_receiving(1200);
    EXPECT_EQUAL(rmii_mac_next(), 1514);
    EXPECT(!rmii_mac_read(found, 1514));
    rmii_mac_finish();
    EXPECT(takes(1514, 1));
}

static bool is_sent(size_t bytes, unsigned seed) {
    size_t filled = bytes < 60 ? 60 : bytes;
    memset(found, 0xaa, sizeof found);
    if (port_sending(found, sizeof found) != filled + 4) {
        return false;
    }
    uint32_t crc = 0xffffffffu;
    for (size_t n = 0; n < filled + 4; n++) {
        crc = port_crc(crc, found[n]);
    }
    frame_of(bytes, seed);
    for (size_t n = bytes; n < filled; n++) {
        frame[n] = 0;
    }
    return crc == RMII_CRC_RIGHT && memcmp(found, frame, filled) == 0;
}

static void send(size_t bytes, unsigned seed) {
    frame_of(bytes, seed);
    rmii_mac_write(frame, 14);
    rmii_mac_write(frame + 14, bytes - 14);
    rmii_mac_send();
}

static void frames_leave_one_after_the_other_filled_and_with_their_check_sequence(void) {
    start();
    for (unsigned round = 0; round < 20; round++) {
        send(42, round);
        send(1514 - round, round);
        EXPECT(is_sent(42, round));
        port_has_sent();
        EXPECT(is_sent(1514 - round, round));
        port_has_sent();
        EXPECT_EQUAL(port_sending(found, 0), 0);
    }
    EXPECT_EQUAL(rmii_mac_counts()->sent, 40);
}

static void there_is_room_until_the_ring_is_full_and_again_when_a_frame_has_left(void) {
    start();
    send(1514, 0);
    send(1514, 1);
    EXPECT(rmii_mac_has_room(1000) && !rmii_mac_has_room(1514));
    port_has_sent();
    EXPECT(rmii_mac_has_room(1514));
    EXPECT(is_sent(1514, 1));
    for (unsigned n = 0; n < 31; n++) {
        EXPECT_EQUAL(rmii_mac_has_room(42), n * 68 + 68 <= 4096 - 1524);
        if (rmii_mac_has_room(42)) {
            send(42, n);
        }
    }
}

int main(void) {
    frames_come_in_their_order_and_across_the_end_of_the_ring();
    a_frame_with_a_wrong_check_sequence_is_told_at_its_last_byte();
    frames_for_others_are_left_out_and_those_for_groups_are_not();
    frames_of_a_size_that_cannot_be_are_counted();
    what_a_full_ring_overwrote_is_dropped_and_what_came_last_is_not();
    a_frame_that_another_is_overwriting_fails_its_check_sequence();
    frames_leave_one_after_the_other_filled_and_with_their_check_sequence();
    there_is_room_until_the_ring_is_full_and_again_when_a_frame_has_left();
    return expect_result();
}

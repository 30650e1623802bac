/* Whole frames through socket 0: sizes, wrapping memories, and sizes that cannot be. */
#include "test_macraw.h"

#include <stdint.h>

#include "expect.h"
#include "simulated_chip.h"
#include "wiznet_frames.h"

static const uint8_t mac[6] = {2, 0, 0, 0x41, 0x57, 0x50};

static struct wiznet wiznet;
static struct simulated_chip chip;
static const struct simulated_kind *kind;
static const struct wiznet_port *port = &simulated_port;

static void begin(void) {
    chip_begin(&chip, kind);
    wiznet = (struct wiznet){.chip = wiznet.chip, .port = port, .context = &chip.bus};
    EXPECT_EQUAL(wiznet_start(&wiznet, 33300000, mac), WIZNET_READY);
    EXPECT(wiznet_frames_open(&wiznet));
    chip_forget_sent(&chip, 0);
}

static uint8_t byte_of(size_t frame, size_t at) { return (uint8_t)(frame * 31 + at * 7); }

/* In the memory a frame stands behind its size, with those two bytes. */
static size_t with_size(uint8_t *bytes, size_t frame, size_t size) {
    bytes[0] = (uint8_t)((size + 2) >> 8);
    bytes[1] = (uint8_t)(size + 2);
    for (size_t at = 0; at < size; at++) {
        bytes[2 + at] = byte_of(frame, at);
    }
    return size + 2;
}

static void expect_frame(size_t frame, size_t size) {
    static uint8_t room[WIZNET_FRAMES_AHEAD_BYTES + WIZNET_FRAMES_MOST_BYTES], *const bytes =
                                                                                   room + WIZNET_FRAMES_AHEAD_BYTES;
    size_t told = wiznet_frames_next(&wiznet);
    if (!wiznet_frames_read(&wiznet, room, WIZNET_FRAMES_AHEAD_BYTES, told / 2)) {
        wiznet_frames_finish(&wiznet);
        told = wiznet_frames_next(&wiznet);
        EXPECT(wiznet_frames_read(&wiznet, room, WIZNET_FRAMES_AHEAD_BYTES, told / 2));
    }
    EXPECT_EQUAL(told, size);
    EXPECT(wiznet_frames_read(&wiznet, bytes + told / 2, 0, told - told / 2));
    wiznet_frames_finish(&wiznet);
    size_t wrong = 0;
    for (size_t at = 0; at < size; at++) {
        wrong += bytes[at] != byte_of(frame, at);
    }
    EXPECT_EQUAL(wrong, 0);
}

static void frames_come_in_one_after_the_other(void) {
    static uint8_t bytes[WIZNET_FRAMES_MOST_BYTES + 2];
    begin();
    for (size_t frame = 0; frame < 60; frame += 2) {
        size_t first = 60 + frame * 24, second = WIZNET_FRAMES_MOST_BYTES - frame;
        EXPECT(chip_receive(&chip, 0, bytes, with_size(bytes, frame, first)));
        EXPECT(chip_receive(&chip, 0, bytes, with_size(bytes, frame + 1, second)));
        expect_frame(frame, first);
        expect_frame(frame + 1, second);
        EXPECT_EQUAL(wiznet_frames_next(&wiznet), 0);
    }
    EXPECT_EQUAL(wiznet_frames_faults(&wiznet), 0);
}

static unsigned held_by_chip(void) {
    const uint8_t *size = chip_socket(&chip, 0, 0x26); /* Sn_RX_RSR */
    return (unsigned)(size[0] << 8 | size[1]);
}

/* Sizes of frames and of what waits differ where two short ones stand together: then the size is read first. */
static void small_frames_come_in_one_transaction(void) {
    static uint8_t bytes[WIZNET_FRAMES_MOST_BYTES + 2];
    begin();
    for (size_t frame = 0; frame < 300; frame += 3) {
        size_t first = 60 + frame % 60, second = 14 + frame % 50, third = 14 + frame % 40;
        EXPECT(chip_receive(&chip, 0, bytes, with_size(bytes, frame, first)));
        uint64_t before = chip.bus.transactions;
        EXPECT(!wiznet_frames_are_known(&wiznet));
        EXPECT_EQUAL(wiznet_frames_next(&wiznet), first);
        EXPECT(wiznet_frames_are_known(&wiznet));
        expect_frame(frame, first);
        if (wiznet.chip->memory_wraps) { /* the others' memories have an end, where bursts are cut in two */
            EXPECT_EQUAL(chip.bus.transactions - before, 3);
        }
        EXPECT(!wiznet_frames_are_known(&wiznet));
        EXPECT(chip_receive(&chip, 0, bytes, with_size(bytes, frame + 1, second)));
        EXPECT(chip_receive(&chip, 0, bytes, with_size(bytes, frame + 2, third)));
        expect_frame(frame + 1, second);
        EXPECT(wiznet_frames_are_known(&wiznet));
        expect_frame(frame + 2, third);
        EXPECT_EQUAL(wiznet_frames_next(&wiznet), 0);
        wiznet_frames_settle(&wiznet);
        EXPECT_EQUAL(held_by_chip(), 0);
        before = chip.bus.transactions;
        wiznet_frames_settle(&wiznet);
        EXPECT_EQUAL(chip.bus.transactions, before);
    }
    EXPECT_EQUAL(wiznet_frames_faults(&wiznet), 0);
}

/* For want of memory, say. */
static void a_small_frame_that_nobody_reads_is_left_out(void) {
    static uint8_t bytes[WIZNET_FRAMES_MOST_BYTES + 2];
    begin();
    for (size_t frame = 0; frame < 50; frame++) {
        EXPECT(chip_receive(&chip, 0, bytes, with_size(bytes, frame, 60 + frame)));
        EXPECT_EQUAL(wiznet_frames_next(&wiznet), 60 + frame);
        wiznet_frames_finish(&wiznet);
    }
    chip_receive(&chip, 0, bytes, with_size(bytes, 50, 64));
    expect_frame(50, 64);
    EXPECT_EQUAL(wiznet_frames_faults(&wiznet), 0);
}

static void what_is_not_read_of_a_frame_is_left_out(void) {
    static uint8_t bytes[WIZNET_FRAMES_MOST_BYTES + 2];
    begin();
    chip_receive(&chip, 0, bytes, with_size(bytes, 1, 700));
    chip_receive(&chip, 0, bytes, with_size(bytes, 2, 800));
    EXPECT_EQUAL(wiznet_frames_next(&wiznet), 700);
    EXPECT(wiznet_frames_read(&wiznet, bytes, 0, 14));
    wiznet_frames_finish(&wiznet);
    expect_frame(2, 800);
}

/* A frame more comes in between the two bytes of the size: the reading is too small for either frame. */
static void a_size_that_changes_while_it_is_read_loses_nothing(void) {
    static uint8_t first[WIZNET_FRAMES_MOST_BYTES + 2], second[WIZNET_FRAMES_MOST_BYTES + 2];
    for (size_t size = 60; size < 1500; size += 90) {
        begin();
        uint32_t before = wiznet_frames_faults(&wiznet);
        chip_receive(&chip, 0, first, with_size(first, 1, size));
        chip_receive_during_reading(&chip, 0, second, with_size(second, 2, 1000));
        expect_frame(1, size);
        expect_frame(2, 1000);
        EXPECT_EQUAL(wiznet_frames_faults(&wiznet), before);
    }
}

static void a_size_that_cannot_be_opens_the_socket_anew(void) {
    static const size_t sizes[] = {0, 1, 2, 15, 1517, 4000, 65535};
    static uint8_t bytes[4002];
    for (unsigned n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        begin();
        uint32_t before = wiznet_frames_faults(&wiznet);
        bytes[0] = (uint8_t)(sizes[n] >> 8);
        bytes[1] = (uint8_t)sizes[n];
        chip_receive(&chip, 0, bytes, 1000);
        EXPECT_EQUAL(wiznet_frames_next(&wiznet), 0);
        EXPECT_EQUAL(wiznet_frames_faults(&wiznet), before + 1);
        EXPECT(chip_receive(&chip, 0, bytes, with_size(bytes, 3, 64)));
        expect_frame(3, 64);
    }
}

static void a_frame_leaves_as_written_and_short_ones_are_filled(void) {
    static uint8_t bytes[WIZNET_FRAMES_MOST_BYTES + 2];
    begin();
    for (size_t frame = 0; frame < 40; frame++) {
        size_t size = 14 + frame * 37, sent;
        with_size(bytes, frame, size);
        chip_forget_sent(&chip, 0);
        wiznet_frames_write(&wiznet, bytes + 2, 14, size == 14);
        if (size > 14) {
            wiznet_frames_write(&wiznet, bytes + 16, size - 14, true);
        }
        EXPECT(wiznet_frames_send(&wiznet));
        const uint8_t *taken = chip_sent(&chip, 0, &sent);
        EXPECT_EQUAL(sent, size < 60 ? 60 : size);
        EXPECT(!memcmp(taken, bytes + 2, size));
        for (size_t at = size; at < sent; at++) {
            EXPECT_EQUAL(taken[at], 0);
        }
    }
}

/* Small enough that its size would come in the same transaction. */
static void a_frame_stays_within_a_buffer_without_headroom(void) {
    static uint8_t given[WIZNET_FRAMES_MOST_BYTES + 2], room[WIZNET_FRAMES_MOST_BYTES + 16];
    uint32_t before = wiznet_frames_faults(&wiznet);
    for (size_t size = 60; size < 140; size++) {
        size_t wrong = 0;
        begin();
        memset(room, 0xa5, sizeof room);
        EXPECT(chip_receive(&chip, 0, given, with_size(given, size, size)));
        EXPECT_EQUAL(wiznet_frames_next(&wiznet), size);
        EXPECT(wiznet_frames_read(&wiznet, room + 8, 0, size));
        wiznet_frames_finish(&wiznet);
        for (size_t at = 0; at < 8; at++) {
            wrong += room[at] != 0xa5 || room[8 + size + at] != 0xa5;
        }
        for (size_t at = 0; at < size; at++) {
            wrong += room[8 + at] != byte_of(size, at);
        }
        EXPECT_EQUAL(wrong, 0);
        EXPECT_EQUAL(wiznet_frames_next(&wiznet), 0);
    }
    EXPECT_EQUAL(wiznet_frames_faults(&wiznet), before);
}

static bool send_frame(size_t frame, size_t size) {
    static uint8_t bytes[WIZNET_FRAMES_MOST_BYTES + 2];
    with_size(bytes, frame, size);
    wiznet_frames_write(&wiznet, bytes + 2, size, true);
    return wiznet_frames_send(&wiznet);
}

static void expect_sent(size_t frame, size_t size) {
    size_t sent, wrong = 0;
    const uint8_t *taken = chip_sent(&chip, 0, &sent);
    EXPECT_EQUAL(sent, size);
    for (size_t at = 0; at < sent; at++) {
        wrong += taken[at] != byte_of(frame, at);
    }
    EXPECT_EQUAL(wrong, 0);
}

/* The frame before never leaves: after the limit the socket is opened anew, and both frames are lost. */
static void a_frame_that_cannot_leave_is_told_as_not_sent(void) {
    begin();
    uint32_t before = wiznet_frames_faults(&wiznet);
    chip_hold_sending(&chip, true);
    EXPECT(send_frame(1, 100));
    EXPECT(!send_frame(2, 200));
    EXPECT_EQUAL(wiznet_frames_faults(&wiznet), before + 1);
    chip_hold_sending(&chip, false);
    chip_forget_sent(&chip, 0);
    EXPECT(send_frame(3, 300));
    expect_sent(3, 300);
}

/* 0x20 is SEND. What the chip did not take must not leave with the next frame, as one that nobody sent. */
static void a_send_that_is_not_taken_is_told_and_leaves_nothing_behind(void) {
    begin();
    uint32_t before = wiznet_frames_faults(&wiznet);
    chip_refuse(&chip, 0x20);
    EXPECT(!send_frame(4, 400));
    EXPECT_EQUAL(wiznet_frames_faults(&wiznet), before + 1);
    chip_refuse(&chip, 0);
    EXPECT(send_frame(5, 500));
    expect_sent(5, 500);
}

static void the_driver_moves_frames_through(const struct wiznet_chip *facts, const struct simulated_kind *simulated) {
    wiznet.chip = facts;
    kind = simulated;
    frames_come_in_one_after_the_other();
    small_frames_come_in_one_transaction();
    a_small_frame_that_nobody_reads_is_left_out();
    what_is_not_read_of_a_frame_is_left_out();
    a_size_that_changes_while_it_is_read_loses_nothing();
    a_size_that_cannot_be_opens_the_socket_anew();
    a_frame_leaves_as_written_and_short_ones_are_filled();
    a_frame_stays_within_a_buffer_without_headroom();
    a_frame_that_cannot_leave_is_told_as_not_sent();
    a_send_that_is_not_taken_is_told_and_leaves_nothing_behind();
    EXPECT_EQUAL(chip.faults, 0);
}

int test_macraw(void) {
    the_driver_moves_frames_through(&wiznet_w5500, &simulated_w5500);
    the_driver_moves_frames_through(&wiznet_w6100, &simulated_w6100);
    the_driver_moves_frames_through(&wiznet_w5200, &simulated_w5200);
    the_driver_moves_frames_through(&wiznet_w5100s, &simulated_w5100s);
    the_driver_moves_frames_through(&wiznet_w5100, &simulated_w5100);
    EXPECT_EQUAL(chip.bus.in_runs, 0);
    port = &simulated_port_with_runs;
    the_driver_moves_frames_through(&wiznet_w5100, &simulated_w5100);
    EXPECT(chip.bus.in_runs > chip.bus.transactions / 2);
    the_driver_moves_frames_through(&wiznet_w5200, &simulated_w5200);
    EXPECT_EQUAL(chip.bus.in_runs, 0);
    return expect_result();
}

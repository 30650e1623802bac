/* Ethernet frames in both directions: in pieces of any size and place, with credits that end, and packets that cannot
 * be. */
#include <stdlib.h>

#include "cyw43_frames.h"
#include "expect.h"
#include "radio_under_test.h"

static uint8_t frame[CYW43_FRAMES_MOST_BYTES];

static void fill_frame(void) {
    for (size_t n = 0; n < sizeof frame; n++) {
        frame[n] = (uint8_t)(n * 7 + n / 251);
    }
}

/* In pieces of that size, to a place that is none for words. */
static void read_in_pieces(uint8_t *to, size_t count, size_t piece) {
    for (size_t done = 0; done < count;) {
        size_t next = count - done < piece ? count - done : piece;
        cyw43_frames_read(&cyw43, to + done, next);
        done += next;
    }
}

static void a_frame_comes_whole_wherever_it_is_put(void) {
    static const size_t sizes[] = {14, 60, 61, 74, 121, 175, 235, 236, 237, 450, 1513, 1514};
    static const size_t pieces[] = {1, 3, 4, 54, 1514};
    uint8_t *place = malloc(CYW43_FRAMES_MOST_BYTES + 8);
    join_radio(&home);
    for (unsigned size = 0; size < sizeof sizes / sizeof sizes[0]; size++) {
        for (unsigned piece = 0; piece < 5; piece++) {
            for (unsigned shift = 0; shift < 4; shift++) {
                radio_gives_frame(&radio, frame, sizes[size]);
                memset(place, 0xee, CYW43_FRAMES_MOST_BYTES + 8);
                EXPECT_EQUAL(look(), sizes[size]);
                read_in_pieces(place + shift, sizes[size], pieces[piece]);
                cyw43_frames_finish(&cyw43);
                EXPECT(!memcmp(place + shift, frame, sizes[size]) && place[shift + sizes[size]] == 0xee);
            }
        }
    }
    EXPECT_EQUAL(look(), 0);
    EXPECT_EQUAL(radio.mistakes + cyw43_frames_faults(&cyw43), 0);
    free(place);
}

static void what_nobody_wants_of_a_frame_does_not_disturb_the_next(void) {
    join_radio(&home);
    radio_gives_frame(&radio, frame, 1514);
    radio_gives_frame(&radio, frame + 5, 60);
    EXPECT_EQUAL(look(), 1514);
    cyw43_frames_finish(&cyw43);
    uint8_t taken[60];
    EXPECT_EQUAL(look(), 60);
    cyw43_frames_read(&cyw43, taken, 100); /* no more than there is */
    cyw43_frames_finish(&cyw43);
    EXPECT(!memcmp(taken, frame + 5, 60));
    EXPECT_EQUAL(radio.mistakes, 0);
}

static void a_frame_leaves_as_it_was_written(void) {
    static const size_t sizes[] = {14, 42, 60, 61, 62, 63, 590, 1514};
    static const size_t pieces[] = {1, 2, 14, 54, 1514};
    join_radio(&home);
    for (unsigned size = 0; size < 8; size++) {
        for (unsigned piece = 0; piece < 5; piece++) {
            for (unsigned shift = 0; shift < 4; shift++) {
                size_t count = sizes[size] - shift;
                radio.credits = 16;
                radio_gives_credit(&radio);
                EXPECT_EQUAL(look(), 0);
                EXPECT(cyw43_frames_has_room(&cyw43, count));
                for (size_t done = 0; done < count; done += pieces[piece]) {
                    size_t left = count - done;
                    cyw43_frames_write(&cyw43, frame + shift + done, left < pieces[piece] ? left : pieces[piece]);
                }
                cyw43_frames_send(&cyw43);
                EXPECT_EQUAL(radio.frame_bytes, count);
                EXPECT(!memcmp(radio.frame, frame + shift, count));
            }
        }
    }
    EXPECT_EQUAL(radio.mistakes, 0);
}

static void a_frame_that_is_shorter_or_longer_than_announced_does_no_harm(void) {
    join_radio(&home);
    EXPECT(cyw43_frames_has_room(&cyw43, 60));
    cyw43_frames_write(&cyw43, frame, 51);
    cyw43_frames_send(&cyw43);
    EXPECT(radio.frame_bytes == 60 && !memcmp(radio.frame, frame, 51) && !radio.frame[51] && !radio.frame[59]);
    EXPECT(cyw43_frames_has_room(&cyw43, 60));
    cyw43_frames_write(&cyw43, frame, 100);
    cyw43_frames_send(&cyw43);
    EXPECT(radio.frame_bytes == 60 && !memcmp(radio.frame, frame, 60));
    EXPECT(!cyw43_frames_has_room(&cyw43, 0) && !cyw43_frames_has_room(&cyw43, 1515));
    EXPECT_EQUAL(radio.mistakes, 0);
}

static void send(void) {
    cyw43_frames_write(&cyw43, frame, 60);
    cyw43_frames_send(&cyw43);
}

static void no_more_frames_leave_than_the_chip_takes(void) {
    join_radio(&home);
    radio.credits = 3;
    radio_gives_credit(&radio);
    look();
    unsigned sent = 0;
    for (; sent < 100 && cyw43_frames_has_room(&cyw43, 60); sent++) {
        send();
    }
    EXPECT_EQUAL(sent, 3);
    /* It has room again; then it stops the host; then it says what cannot be. */
    radio.credits = 2;
    radio_gives_credit(&radio);
    look();
    EXPECT(cyw43_frames_has_room(&cyw43, 60));
    radio_gives_credit(&radio);
    radio.waiting[0].bytes[8] = 1;
    look();
    EXPECT(!cyw43_frames_has_room(&cyw43, 60));
    radio_gives_credit(&radio);
    look();
    EXPECT(cyw43_frames_has_room(&cyw43, 60));
    radio.credits = 200;
    radio_gives_credit(&radio);
    look();
    for (sent = 0; sent < 100 && cyw43_frames_has_room(&cyw43, 60); sent++) {
        send();
    }
    EXPECT_EQUAL(sent, 2);
}

static void a_request_waits_for_room_and_not_for_ever(void) {
    join_radio(&home);
    radio.credits = 0;
    radio_gives_credit(&radio);
    look();
    uint64_t from_us = radio.now_us;
    EXPECT(!cyw43_save_power(&cyw43, CYW43_PM_1, 0));
    EXPECT(!cyw43_set_outputs(&cyw43, 1, 1));
    EXPECT(radio.now_us - from_us > 50000 && radio.now_us - from_us < 500000);
    radio.credits = 1;
    radio_gives_credit(&radio);
    EXPECT(cyw43_save_power(&cyw43, CYW43_PM_1, 0));
}

static void a_function_2_that_is_not_ready_takes_nothing(void) {
    join_radio(&home);
    radio.illness = RADIO_NO_PACKETS;
    EXPECT(!cyw43_frames_has_room(&cyw43, 60));
    radio.illness = RADIO_ABSENT;
    EXPECT(!cyw43_frames_has_room(&cyw43, 60));
    EXPECT_EQUAL(look(), 0);
}

/* A packet whose header says this of length, complement, begin and channel. */
static void give(size_t bytes, unsigned length, unsigned complement, unsigned begin, unsigned channel) {
    uint8_t packet[300] = {(uint8_t)length,
                           (uint8_t)(length >> 8),
                           (uint8_t)complement,
                           (uint8_t)(complement >> 8),
                           0,
                           (uint8_t)channel,
                           0,
                           (uint8_t)begin};
    radio_gives_packet(&radio, packet, bytes);
}

static void packets_that_cannot_be_are_given_up_and_counted(void) {
    join_radio(&home);
    unsigned before = radio.mistakes;
    give(300, 300, 300, 14, 2);    /* complement */
    give(300, 400, ~400u, 14, 2);  /* longer than it is */
    give(300, 300, ~300u, 11, 2);  /* begins within its header */
    give(100, 100, ~100u, 101, 2); /* or behind its end */
    give(8, 8, ~8u, 8, 2);         /* no header */
    EXPECT_EQUAL(look(), 0);
    EXPECT_EQUAL(cyw43_frames_faults(&cyw43), 5);
    /* These are whole and say nothing. */
    give(30, 30, ~30u, 30, 2);
    give(30, 30, ~30u, 28, 1);
    give(30, 30, ~30u, 12, 0);
    give(30, 30, ~30u, 12, 9);
    EXPECT_EQUAL(look(), 0);
    radio_gives_frame(&radio, frame, 60);
    EXPECT_EQUAL(look(), 60);
    cyw43_frames_finish(&cyw43);
    EXPECT_EQUAL(radio.mistakes, before);
}

static void a_frame_behind_more_headers_than_there_are_bytes_is_none(void) {
    join_radio(&home);
    radio_gives_frame(&radio, frame, 60);
    radio.waiting[0].bytes[radio.waiting[0].bytes[7] + 3] = 200;
    EXPECT_EQUAL(look(), 0);
    EXPECT_EQUAL(cyw43_frames_faults(&cyw43), 1);
}

static void bus_errors_are_counted(void) {
    join_radio(&home);
    radio.interrupts |= 1u << 2;
    look();
    EXPECT_EQUAL(cyw43_frames_faults(&cyw43), 1);
    EXPECT_EQUAL(radio.interrupts, 0);
}

int main(void) {
    fill_frame();
    a_frame_comes_whole_wherever_it_is_put();
    what_nobody_wants_of_a_frame_does_not_disturb_the_next();
    a_frame_leaves_as_it_was_written();
    a_frame_that_is_shorter_or_longer_than_announced_does_no_harm();
    no_more_frames_leave_than_the_chip_takes();
    a_request_waits_for_room_and_not_for_ever();
    a_function_2_that_is_not_ready_takes_nothing();
    packets_that_cannot_be_are_given_up_and_counted();
    a_frame_behind_more_headers_than_there_are_bytes_is_none();
    bus_errors_are_counted();
    return expect_result();
}

/* The pattern of bulk transfers: published numbers of SplitMix64, and the same bytes however they are cut. */
#include "expect.h"
#include "pattern.h"

static void the_first_words_of_seed_1234567_are_the_published_ones(void) {
    /* Rosetta Code, task "Pseudo-random numbers/Splitmix64". */
    static const uint64_t published[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u};
    uint8_t bytes[24];
    pattern_write(1234567, 0, bytes, sizeof bytes);
    for (unsigned at = 0; at < sizeof bytes; at++) {
        EXPECT_EQUAL(bytes[at], (uint8_t)(published[at / 8] >> 8 * (at % 8)));
    }
}

static void a_part_is_the_same_as_in_the_whole(void) {
    uint8_t whole[200], part[200];
    pattern_write(7, 1000, whole, sizeof whole);
    for (size_t from = 0; from < 40; from++) {
        for (size_t count = 0; count < 40; count++) {
            pattern_write(7, 1000 + from, part, count);
            EXPECT(!memcmp(part, whole + from, count));
        }
    }
}

static void the_first_wrong_byte_is_found(void) {
    uint8_t bytes[100];
    pattern_write(7, 13, bytes, sizeof bytes);
    EXPECT_EQUAL(pattern_difference(7, 13, bytes, sizeof bytes), sizeof bytes);
    for (size_t at = 0; at < sizeof bytes; at++) {
        bytes[at] ^= 0x10;
        EXPECT_EQUAL(pattern_difference(7, 13, bytes, sizeof bytes), at);
        bytes[at] ^= 0x10;
    }
}

int main(void) {
    the_first_words_of_seed_1234567_are_the_published_ones();
    a_part_is_the_same_as_in_the_whole();
    the_first_wrong_byte_is_found();
    return expect_result();
}

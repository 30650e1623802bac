/* Decimal text and CRC-32, against the C library and the published check value. */
#include <stdint.h>
#include <stdlib.h>

#include "crc32.h"
#include "decimal.h"
#include "expect.h"

static void numbers_are_written_as_printf_writes_them(void) {
    uint32_t value = 1;
    for (unsigned n = 0; n < 20000; n++, value = value * 1664525u + 1013904223u) {
        uint32_t number = value >> (n % 32);
        char written[DECIMAL_DIGITS + 1], wanted[16];
        *decimal_write(written, number) = 0;
        snprintf(wanted, sizeof wanted, "%lu", (unsigned long)number);
        EXPECT_TEXT(written, wanted);
        uint32_t back = ~number;
        EXPECT(decimal_read(written, strlen(written), &back));
        EXPECT_EQUAL(back, number);
    }
}

static void what_is_no_number_of_32_bits_is_refused(void) {
    static const char *const bad[] = {"",           "-1",          "+1",          " 1",  "1 ",
                                      "4294967296", "42949672950", "99999999999", "0x1", "1.0"};
    for (unsigned n = 0; n < sizeof bad / sizeof *bad; n++) {
        uint32_t value = 7;
        EXPECT(!decimal_read(bad[n], strlen(bad[n]), &value));
        EXPECT_EQUAL(value, 7);
    }
    uint32_t most = 0;
    EXPECT(decimal_read("4294967295", 10, &most));
    EXPECT_EQUAL(most, 4294967295u);
    EXPECT(decimal_read("0000000000000004294967295", 25, &most));
}

static void the_sum_has_the_published_check_value_however_it_is_cut(void) {
    const uint8_t *digits = (const uint8_t *)"123456789";
    EXPECT_EQUAL(crc32(0, digits, 9), 0xcbf43926u);
    for (size_t cut = 0; cut <= 9; cut++) {
        EXPECT_EQUAL(crc32(crc32(0, digits, cut), digits + cut, 9 - cut), 0xcbf43926u);
    }
    EXPECT_EQUAL(crc32(0, digits, 0), 0);
}

int main(void) {
    numbers_are_written_as_printf_writes_them();
    what_is_no_number_of_32_bits_is_refused();
    the_sum_has_the_published_check_value_however_it_is_cut();
    return expect_result();
}

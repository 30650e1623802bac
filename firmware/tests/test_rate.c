/* Amounts and rates on the console. */
#include "console.h"
#include "expect.h"
#include "rate.h"

static char said[256];
static size_t said_count;

void console_put(char character) {
    if (said_count < sizeof said - 1) {
        said[said_count++] = character;
        said[said_count] = 0;
    }
}

static void begin(void) { said[said_count = 0] = 0; }

static void numbers_of_64_bits_keep_their_zeros(void) {
    static const uint64_t numbers[] = {
        0, 7, 999999999, 1000000000, 1000000001, 4294967296, 1000000000000000000, 12000000345000000, UINT64_MAX};
    for (unsigned n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        char wanted[32];
        begin();
        rate_number(numbers[n]);
        snprintf(wanted, sizeof wanted, "%llu", (unsigned long long)numbers[n]);
        EXPECT_TEXT(said, wanted);
    }
}

static void a_rate_is_in_kilobits_a_second(void) {
    begin();
    rate_report("sink", 1000000, 350000);
    EXPECT_TEXT(said, "sink 1000000 bytes in 350000 us, 22857 kbit/s\n");
    EXPECT_EQUAL(rate_kilobits(1, 0), 0);
    EXPECT_EQUAL(rate_kilobits(UINT64_C(1) << 40, 1), UINT32_MAX);
}

int main(void) {
    numbers_of_64_bits_keep_their_zeros();
    a_rate_is_in_kilobits_a_second();
    return expect_result();
}

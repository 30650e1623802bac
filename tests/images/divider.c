/* SIO's integer divider and interpolators. Division by zero stands on lines that begin with '?', because the
 * oracle is known to answer some of them differently from the datasheet (2.3.1.5). */
#include "support.h"

#define ACCUM0 0x00
#define ACCUM1 0x04
#define BASE0 0x08
#define BASE1 0x0c
#define BASE2 0x10
#define POP_FULL 0x1c
#define PEEK_LANE0 0x20
#define PEEK_LANE1 0x24
#define PEEK_FULL 0x28
#define CTRL_LANE0 0x2c
#define CTRL_LANE1 0x30
#define LANE(shift, lowest, highest) ((uint32_t)(shift) | (lowest) << 5 | (highest) << 10)
#define LANE_SIGNED (1u << 15)
#define LANE_CROSS_RESULT (1u << 17)
#define LANE_ADD_RAW (1u << 18)
#define LANE_BLEND (1u << 21)
#define LANE_CLAMP (1u << 22)

static const uint32_t pairs[][2] = {
    {100, 7},        {7, 100},          {0xffffffff, 3},          {0x80000000, 0xffffffff},
    {0xffffff9c, 7}, {100, 0xfffffff9}, {0xffffff9c, 0xfffffff9}, {0, 5},
    {1, 1},          {123456789, 1000}, {0xfffffffe, 0xffffffff}, {0x7fffffff, 2},
};

static void divide(const char *mark, uint32_t dividend, uint32_t divisor) {
    SIO_DIV_UDIVIDEND = dividend;
    SIO_DIV_UDIVISOR = divisor;
    while (!(SIO_DIV_CSR & 1)) {
    }
    uint32_t remainder = SIO_DIV_REMAINDER, quotient = SIO_DIV_QUOTIENT;
    SIO_DIV_SDIVIDEND = dividend;
    SIO_DIV_SDIVISOR = divisor;
    while (!(SIO_DIV_CSR & 1)) {
    }
    int32_t signed_remainder = (int32_t)SIO_DIV_REMAINDER, signed_quotient = (int32_t)SIO_DIV_QUOTIENT;
    put_text(mark);
    put_hex(dividend, 8);
    put_char('/');
    put_hex(divisor, 8);
    put_text(" unsigned ");
    put_decimal(quotient);
    put_text(" rest ");
    put_decimal(remainder);
    put_text(" signed ");
    put_signed(signed_quotient);
    put_text(" rest ");
    put_signed(signed_remainder);
    put_char('\n');
}

static void print_lanes(const char *name, uint32_t unit) {
    put_text(name);
    for (uint32_t offset = PEEK_LANE0; offset <= PEEK_FULL; offset += 4) {
        put_char(' ');
        put_hex(SIO_INTERP(unit, offset), 8);
    }
    put_char('\n');
}

static void interpolate(void) {
    SIO_INTERP(0, CTRL_LANE0) = LANE(4, 0, 7);
    SIO_INTERP(0, CTRL_LANE1) = LANE(8, 2, 15) | LANE_SIGNED;
    SIO_INTERP(0, ACCUM0) = 0x12345678;
    SIO_INTERP(0, ACCUM1) = 0x00fedc00;
    SIO_INTERP(0, BASE0) = 0x1000;
    SIO_INTERP(0, BASE1) = 0x20;
    SIO_INTERP(0, BASE2) = 0x20000000;
    print_lanes("shift and mask", 0);
    SIO_INTERP(0, CTRL_LANE0) = LANE(0, 0, 31) | LANE_ADD_RAW | LANE_CROSS_RESULT;
    SIO_INTERP(0, CTRL_LANE1) = LANE(0, 0, 31) | LANE_CROSS_RESULT;
    for (uint32_t pop = 0; pop < 3; pop++) {
        put_named_hex("pop", SIO_INTERP(0, POP_FULL));
    }
    print_lanes("crossed", 0);
    SIO_INTERP(0, CTRL_LANE0) = LANE_BLEND;
    SIO_INTERP(0, CTRL_LANE1) = LANE(0, 0, 7);
    SIO_INTERP(0, BASE0) = 500;
    SIO_INTERP(0, BASE1) = 1000;
    SIO_INTERP(0, ACCUM1) = 64;
    put_named("blend a quarter of 500 to 1000", SIO_INTERP(0, PEEK_LANE1));
    SIO_INTERP(1, CTRL_LANE0) = LANE(2, 0, 29) | LANE_CLAMP | LANE_SIGNED;
    SIO_INTERP(1, BASE0) = 0;
    SIO_INTERP(1, BASE1) = 255;
    SIO_INTERP(1, ACCUM0) = 4000;
    put_named("clamp 1000", SIO_INTERP(1, PEEK_LANE0));
    SIO_INTERP(1, ACCUM0) = 400;
    put_named("clamp 100", SIO_INTERP(1, PEEK_LANE0));
    SIO_INTERP(1, ACCUM0) = (uint32_t)-400;
    put_named("clamp -100", SIO_INTERP(1, PEEK_LANE0));
}

int main(void) {
    console_start();
    for (uint32_t index = 0; index < sizeof pairs / sizeof pairs[0]; index++) {
        divide("", pairs[index][0], pairs[index][1]);
    }
    divide("? ", 100, 0);
    divide("? ", 0, 0);
    divide("? ", 0xffffff9c, 0);
    interpolate();
    finish();
}

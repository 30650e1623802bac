/* The boot ROM's single-precision functions through the SF table (RP2040 datasheet 2.8.3.2.1): a loop of
 * each, whose last result is printed as bits, with the cycles for all turns. */
#include "support.h"

#define TURNS 1000
#define FADD 0x00
#define FSUB 0x04
#define FMUL 0x08
#define FDIV 0x0c
#define FSQRT 0x18
#define FLOAT2INT 0x1c
#define INT2FLOAT 0x2c

typedef uint32_t float_function(uint32_t a, uint32_t b);

static float_function *function_at(uint32_t offset) {
    const uint8_t *table = (const uint8_t *)rom_data('S', 'F');
    return *(float_function *const *)(table + offset);
}

static void print(const char *name, uint32_t value, uint32_t cycles) {
    put_named_hex(name, value);
    put_named("~ cycles", cycles);
}

/* value = f(value, operand), over and over */
static void run(const char *name, uint32_t offset, uint32_t value, uint32_t operand) {
    float_function *function = function_at(offset);
    stopwatch_start();
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        value = function(value, operand);
    }
    print(name, value, stopwatch_cycles());
}

static void run_conversions(void) {
    float_function *to_float = function_at(INT2FLOAT), *to_int = function_at(FLOAT2INT);
    uint32_t total = 0;
    stopwatch_start();
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        uint32_t number = turn * 12345 - 5000000;
        total = total * 3 + to_float(number, 0);
    }
    print("int2float", total, stopwatch_cycles());
    total = 0;
    stopwatch_start();
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        total += to_int(0x40490fdbu + turn * 0x8000, 0); /* from pi upwards */
    }
    print("float2int", total, stopwatch_cycles());
}

int main(void) {
    console_start();
    run("fadd 1 + n * 0.1", FADD, 0x3f800000, 0x3dcccccd);
    run("fsub 1000 - n * 0.1", FSUB, 0x447a0000, 0x3dcccccd);
    run("fmul 1 * 1.01^n", FMUL, 0x3f800000, 0x3f8147ae);
    run("fdiv 1e10 / 1.01^n", FDIV, 0x501502f9, 0x3f8147ae);
    float_function *square_root = function_at(FSQRT), *add = function_at(FADD);
    uint32_t value = 0x40000000;
    stopwatch_start();
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        value = add(square_root(value, 0), 0x40a00000);
    }
    print("fsqrt(x) + 5", value, stopwatch_cycles());
    run_conversions();
    finish();
}

/* The two loops by which emulators of a Cortex-M0+ are compared for speed. LOOP_A works in registers only: 10
 * instructions and 11 cycles a turn. LOOP_B exercises memory: it copies 256 words and sums them in 16-bit
 * ones' complement, 3093 instructions and 4758 cycles a turn. Either ends in the semihosting call for a
 * normal exit, with its sum in `result`; neither touches a peripheral. */
#include <stdint.h>

#ifndef TURNS
#ifdef LOOP_A
#define TURNS 10000000
#else
#define TURNS 10000
#endif
#endif

extern uint32_t stack_top[];
volatile uint32_t result;

#ifdef LOOP_A
static __attribute__((noinline)) uint32_t loop(void) {
    uint32_t n = TURNS, x = 2463534242, s = 0;
    while (n--) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        s += x;
    }
    return s;
}
#else
static uint32_t a[256], b[256];

static __attribute__((noinline)) uint32_t loop(void) {
    uint32_t n = TURNS, total = 0;
    for (uint32_t i = 0; i < 256; i++) {
        a[i] = i * 2654435761;
    }
    while (n--) {
        a[n & 255] ^= n;
        for (uint32_t i = 0; i < 256; i++) {
            b[i] = a[i];
        }
        const uint16_t *half = (const uint16_t *)b;
        uint32_t s = 0;
        for (uint32_t i = 0; i < 512; i++) {
            s += half[i];
        }
        s = (s & 0xffff) + (s >> 16);
        total += (s + (s >> 16)) & 0xffff;
    }
    return total;
}
#endif

_Noreturn void reset_handler(void) {
    result = loop();
    register uint32_t reason __asm__("r1") = 0x20026;
    register uint32_t operation __asm__("r0") = 0x18;
    __asm__ volatile("bkpt 0xab" : : "r"(operation), "r"(reason) : "memory");
    for (;;) {
    }
}

static void unexpected_exception(void) {
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) void (*const vectors[4])(void) = {
    (void (*)(void))(uintptr_t)stack_top,
    (void (*)(void))reset_handler,
    unexpected_exception,
    unexpected_exception,
};

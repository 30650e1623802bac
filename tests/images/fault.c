/* Three ways to a HardFault, chosen by FAULT. UNALIGNED reads a word at an odd address, two calls deep, and
 * the image has a handler, which prints the stacked frame. JUMP calls unmapped memory, without a handler of
 * its own. LOCKUP faults again inside the handler, after which the core stops for good. */
#include "support.h"

#define UNALIGNED 1
#define JUMP 2
#define LOCKUP 3

#if FAULT == UNALIGNED
static __attribute__((used)) _Noreturn void report(const uint32_t *frame) {
    put_named_hex("r0", frame[0]);
    put_named_hex("lr", frame[5]);
    put_named_hex("pc", frame[6]);
    put_named("exception", REGISTER(0xe000ed04u) & 0x1ff); /* ICSR.VECTACTIVE */
    finish();
}

__attribute__((naked)) void hard_fault_handler(void) {
    __asm__("mrs r0, msp\n\t"
            "bl report");
}
#elif FAULT == LOCKUP
void hard_fault_handler(void) { __asm__ volatile("udf #1"); }
#endif

__attribute__((noinline)) uint32_t read_word(uintptr_t address) {
#if FAULT == JUMP
    uint32_t (*function)(void) = (uint32_t (*)(void))(address | 1);
    return function() + 1;
#else
    return *(volatile uint32_t *)address + 1;
#endif
}

__attribute__((noinline)) uint32_t read_two_words(uintptr_t address) {
    return read_word(address) ^ read_word(address + 4);
}

int main(void) {
    console_start();
    put_text("About to fault.\n");
    while (UART_FR(UART0_BASE) & UART_FR_BUSY) {
    }
    put_named("not reached", read_two_words(FAULT == JUMP ? 0x30000000u : 0x20001001u));
    finish();
}

/* Takes more of the stack than the linker's symbols leave room for, and then reads a word at an odd address. The Makefile
 * gives the symbols, as the Pico SDK's linker script does. */
#include "support.h"

#define OVER_BYTES 256u

__attribute__((noinline)) uint32_t read_word(uintptr_t address) {
    volatile uint8_t room[STACK_BYTES + OVER_BYTES];
    room[0] = 1;
    return *(volatile uint32_t *)address + room[0];
}

int main(void) {
    console_start();
    put_named("not reached", read_word(0x20001001u));
    finish();
}

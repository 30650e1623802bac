/* A loop that keeps the core busy for ever: counting in a register, and now and then in memory. */
#include <stdint.h>

volatile uint32_t turns;

int main(void) {
    for (;;) {
        for (uint8_t left = 200; left; left--) {
            __asm__ volatile("nop");
        }
        turns++;
    }
}

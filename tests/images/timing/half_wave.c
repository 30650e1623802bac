/* Endless loops that toggle GP2 through SIO after a known number of cycles: 125 of them from flash, or with
 * SQUARE_WAVE 50 from SRAM. */
#include "support.h"

#define PIN 2u

#ifdef SQUARE_WAVE
static IN_RAM void toggle_for_ever(uint32_t turns, const uint32_t *count) {
    __asm__ volatile("1: subs %[turns], #1\n\t"
                     "ldr r3, [%[count]]\n\t"
                     "str %[bit], [%[toggle]]\n\t"
                     "ldr r3, [%[count]]\n\t"
                     "2: subs r3, #1\n\t"
                     "cmp r3, #0\n\t"
                     "bne 2b\n\t"
                     "nop\n\t"
                     "nop\n\t"
                     "cmp %[turns], #0\n\t"
                     "bne 1b"
                     : [turns] "+l"(turns)
                     : [count] "l"(count), [toggle] "l"(&SIO_GPIO_OUT_XOR), [bit] "l"(1u << PIN)
                     : "r3", "cc", "memory");
}

static uint32_t count = 10;
#else
static __attribute__((noinline, aligned(4))) void toggle_for_ever(uint32_t turns, const uint32_t *count) {
    __asm__ volatile("1: str %[bit], [%[toggle]]\n\t"
                     "ldr r3, 3f\n\t"
                     "nop\n\t"
                     "2: subs r3, #1\n\t"
                     "cmp r3, #0\n\t"
                     "bne 2b\n\t"
                     "b 1b\n\t"
                     ".align 2\n"
                     "3: .word 30" ::[toggle] "l"(&SIO_GPIO_OUT_XOR),
                     [bit] "l"(1u << PIN)
                     : "r3", "cc", "memory");
    (void)turns;
    (void)count;
}

static const uint32_t count = 30;
#endif

int main(void) {
    console_start();
    pin_output(PIN);
    toggle_for_ever(0, &count);
    finish();
}

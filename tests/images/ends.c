/* Ends as programs of the Pico SDK do: BKPT #0 in a loop with the status in R0, while the UART's FIFO still holds all of
 * its last words. */
#include "support.h"

#ifndef STATUS
#define STATUS 0
#endif

int main(void) {
    console_start();
    put_text("The last words.\n");
    register uint32_t status __asm__("r0") = STATUS;
    __asm__ volatile("0: bkpt #0\n\t"
                     "b 0b" ::"r"(status));
    __builtin_unreachable();
}

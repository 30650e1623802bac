/* Entry and exit of a boot2, shared by both. The boot ROM copies 252 bytes to the top of SRAM and calls them
 * with LR zero, whereupon boot2 starts the image through its vector table; code that left XIP calls them
 * again with a return address, and gets control back (RP2040 datasheet 2.8.1.3.1). */
#ifndef BOOT2_EXIT_H
#define BOOT2_EXIT_H

static void configure_flash(void) __attribute__((used));

__attribute__((naked, section(".boot2_entry"), used)) void boot2_entry(void) {
    __asm__("push {lr}\n\t"
            "bl configure_flash\n\t"
            "pop {r0}\n\t"
            "cmp r0, #0\n\t"
            "beq 1f\n\t"
            "bx r0\n"
            "1:\n\t"
            "ldr r0, =0x10000100\n\t"
            "ldr r1, =0xe000ed08\n\t" /* VTOR */
            "str r0, [r1]\n\t"
            "ldmia r0!, {r1, r2}\n\t"
            "msr msp, r1\n\t"
            "bx r2\n\t"
            ".ltorg");
}

#endif

/* First bytes of a RAM image. The boot ROM enters a UF2 file that lies in SRAM at its lowest address (RP2040
 * datasheet 2.8.5), so code must stand there; it hands over to the vector table as a reset would. */
__attribute__((naked, section(".entry"), used)) void entry(void) {
    __asm__("ldr r0, =vectors\n\t"
            "ldr r1, =0xe000ed08\n\t" /* VTOR */
            "str r0, [r1]\n\t"
            "ldmia r0!, {r1, r2}\n\t"
            "msr msp, r1\n\t"
            "bx r2\n\t"
            ".ltorg");
}

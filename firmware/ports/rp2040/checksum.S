/* The internet checksum (RFC 1071) for the Cortex-M0+: 16 bytes by one load of four registers and four additions with
 * carry. unsigned short port_checksum(const void *bytes, int count): the ones' complement sum, not inverted, in the byte
 * order of the memory. */
    .syntax unified
    .cpu cortex-m0plus
    .thumb
    .section .ram_text.port_checksum, "ax"
    .global port_checksum
    .type port_checksum, %function
    .thumb_func
    .align 2
port_checksum:
    push {r4, r5, r6, r7, lr}
    movs r2, #0             /* sum */
    mov r12, r2             /* whether the bytes began at an odd address */
    cmp r1, #0
    beq .Ldone
    lsrs r3, r0, #1
    bcc .Leven
    ldrb r2, [r0]           /* one byte, as the upper one of its pair: all is turned at the end */
    lsls r2, r2, #8
    adds r0, #1
    subs r1, #1
    movs r3, #1
    mov r12, r3
.Leven:
    lsrs r3, r0, #2
    bcc .Laligned
    cmp r1, #2
    blt .Ltail
    ldrh r3, [r0]
    adds r2, r2, r3
    adds r0, #2
    subs r1, #2
.Laligned:
    subs r1, #16
    blt .Lwords
.Lsixteen:
    ldmia r0!, {r4, r5, r6, r7}
    adds r2, r2, r4
    adcs r2, r5
    adcs r2, r6
    adcs r2, r7
    movs r4, #0
    adcs r2, r4
    subs r1, #16
    bge .Lsixteen
.Lwords:
    adds r1, #16
    movs r7, #0
    subs r1, #4
    blt .Lless
.Lword:
    ldmia r0!, {r4}
    adds r2, r2, r4
    adcs r2, r7
    subs r1, #4
    bge .Lword
.Lless:
    adds r1, #4
.Ltail:
    movs r7, #0
    cmp r1, #2
    blt .Lbyte
    ldrh r4, [r0]
    adds r2, r2, r4
    adcs r2, r7
    adds r0, #2
    subs r1, #2
.Lbyte:
    cmp r1, #1
    blt .Lfold
    ldrb r4, [r0]
    adds r2, r2, r4
    adcs r2, r7
.Lfold:
    lsrs r4, r2, #16
    uxth r2, r2
    adds r2, r2, r4
    lsrs r4, r2, #16
    uxth r2, r2
    adds r2, r2, r4
    mov r3, r12
    cmp r3, #0
    beq .Ldone
    rev16 r2, r2
.Ldone:
    uxth r0, r2
    pop {r4, r5, r6, r7, pc}
    .size port_checksum, . - port_checksum

/* memcpy() for the Cortex-M0+, in place of newlib's, which copies a byte at a time: the destination is brought to a word,
 * then words go by load and store multiple. Where the source lies off a word then, each word is put together from two:
 * only words that hold bytes to be copied are read. */
    .syntax unified
    .cpu cortex-m0plus
    .thumb
    .section .text.memcpy, "ax"
    .global memcpy
    .type memcpy, %function
    .thumb_func
    .align 2
memcpy:
    push {r0, r4, r5, r6, r7, lr}
    cmp r2, #8
    blo .Ltail
    lsls r3, r0, #30
    beq .Laligned
.Lalign:
    ldrb r3, [r1]
    strb r3, [r0]
    adds r1, #1
    adds r0, #1
    subs r2, #1
    lsls r3, r0, #30
    bne .Lalign
.Laligned:
    lsls r3, r1, #30
    bne .Lshifted
    subs r2, #16
    blo .Lwords
.Lsixteen:
    ldmia r1!, {r4, r5, r6, r7}
    stmia r0!, {r4, r5, r6, r7}
    subs r2, #16
    bhs .Lsixteen
.Lwords:
    adds r2, #12            /* 16 back, and 4 of the next word off */
    blo .Lrest
.Lword:
    ldmia r1!, {r4}
    stmia r0!, {r4}
    subs r2, #4
    bhs .Lword
.Lrest:
    adds r2, #4
.Ltail:
    cmp r2, #0
    beq .Ldone
.Lbyte:
    subs r2, #1
    ldrb r3, [r1, r2]
    strb r3, [r0, r2]
    bne .Lbyte
.Ldone:
    pop {r0, r4, r5, r6, r7, pc}

.Lshifted:
    lsrs r3, r3, #27        /* bits that the source lies behind a word, 8, 16 or 24 */
    movs r4, #32
    subs r4, r4, r3
    lsrs r5, r3, #3
    subs r1, r1, r5
    ldmia r1!, {r5}
    lsrs r5, r3             /* what is left of the word before */
    mov r12, r2
    lsrs r2, r2, #3
    beq .Lone
    lsls r2, r2, #3
    adds r2, r1, r2
    mov lr, r2              /* where the source is after all pairs */
.Lpair:
    ldmia r1!, {r6, r7}
    movs r2, r6
    lsls r2, r4
    orrs r5, r2
    lsrs r6, r3
    movs r2, r7
    lsls r2, r4
    orrs r6, r2
    stmia r0!, {r5, r6}
    lsrs r7, r3
    movs r5, r7
    cmp r1, lr
    bne .Lpair
.Lone:
    mov r2, r12
    lsls r7, r2, #29
    bpl .Lback              /* no single word more */
    ldmia r1!, {r6}
    lsls r6, r4
    orrs r5, r6
    stmia r0!, {r5}
.Lback:
    lsrs r3, r3, #3
    subs r1, #4
    adds r1, r1, r3
    lsls r2, r2, #30
    lsrs r2, r2, #30
    b .Ltail
    .size memcpy, . - memcpy

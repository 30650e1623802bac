/* Core 0 launches core 1 by the boot ROM's protocol on the FIFO (RP2040 datasheet 2.8.2). Then core 0 sends
 * numbers and core 1 answers with their squares; both add to one counter under spinlock 0. Only core 0
 * prints. */
#include "support.h"

#define ROUNDS 10
#define INCREMENTS 1000
#define CORE1_STACK_TOP 0x20041000u /* top of SRAM bank 4, SCRATCH_X */

extern const uint32_t vectors[];
static volatile uint32_t counter, core1_id, core1_finished;

static void fifo_drain(void) {
    while (SIO_FIFO_ST & SIO_FIFO_ST_VLD) {
        (void)SIO_FIFO_RD;
    }
}

static void fifo_send(uint32_t value) {
    while (!(SIO_FIFO_ST & SIO_FIFO_ST_RDY)) {
    }
    SIO_FIFO_WR = value;
    __asm__ volatile("sev");
}

static uint32_t fifo_receive(void) {
    while (!(SIO_FIFO_ST & SIO_FIFO_ST_VLD)) {
        __asm__ volatile("wfe");
    }
    return SIO_FIFO_RD;
}

static void add_under_lock(void) {
    for (uint32_t index = 0; index < INCREMENTS; index++) {
        while (!SIO_SPINLOCK(0)) {
        }
        counter++;
        SIO_SPINLOCK(0) = 1;
    }
}

static void core1_main(void) {
    core1_id = SIO_CPUID;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t value = fifo_receive();
        fifo_send(value * value);
    }
    add_under_lock();
    core1_finished = 1;
    for (;;) {
        __asm__ volatile("wfe");
    }
}

static void launch(void (*entry)(void)) {
    const uint32_t sequence[] = {
        0, 0, 1, (uint32_t)(uintptr_t)vectors, CORE1_STACK_TOP, (uint32_t)(uintptr_t)entry};
    for (uint32_t index = 0; index < 6;) {
        if (sequence[index] == 0) {
            fifo_drain();
            __asm__ volatile("sev");
        }
        fifo_send(sequence[index]);
        index = fifo_receive() == sequence[index] ? index + 1 : 0;
    }
}

int main(void) {
    console_start();
    put_named("core", SIO_CPUID);
    launch(core1_main);
    put_text("core 1 answers:");
    for (uint32_t round = 0; round < ROUNDS; round++) {
        fifo_send(round + 3);
        put_char(' ');
        put_decimal(fifo_receive());
    }
    put_char('\n');
    put_named("core", core1_id);
    add_under_lock();
    while (!core1_finished) {
    }
    put_named("counter", counter);
    put_named("fifo status", SIO_FIFO_ST);
    finish();
}

/* Vector table and C start-up of the test images. A flash image is entered through its vector table, by
 * boot2; a RAM image by entry_ram.c. */
#include <stdint.h>

#include "registers.h"

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[], stack_top[];

int main(void);

_Noreturn void reset_handler(void) {
    const uint32_t *source = data_load;
    if (source != data_start) {
        for (uint32_t *word = data_start; word < data_end; word++) {
            *word = *source++;
        }
    }
    for (uint32_t *word = bss_start; word < bss_end; word++) {
        *word = 0;
    }
    main();
    for (;;) {
        __asm__ volatile("wfi");
    }
}

/* An exception that the image does not expect stays here, where a debugger or an emulator finds it. */
void unexpected_exception(void) {
    for (;;) {
        __asm__ volatile("");
    }
}

#define HANDLER(name) void name(void) __attribute__((weak, alias("unexpected_exception")))
HANDLER(nmi_handler);
HANDLER(hard_fault_handler);
HANDLER(svcall_handler);
HANDLER(pendsv_handler);
HANDLER(systick_handler);
HANDLER(timer_irq_0_handler);
HANDLER(pwm_irq_wrap_handler);
HANDLER(pio0_irq_0_handler);
HANDLER(dma_irq_0_handler);
HANDLER(io_irq_bank0_handler);

__attribute__((section(".vectors"), used)) void (*const vectors[48])(void) = {
    (void (*)(void))(uintptr_t)stack_top,
    (void (*)(void))reset_handler,
    nmi_handler,
    hard_fault_handler,
    [11] = svcall_handler,
    [14] = pendsv_handler,
    [15] = systick_handler,
    [16 + TIMER_IRQ_0] = timer_irq_0_handler,
    [16 + 1] = unexpected_exception,
    [16 + 2] = unexpected_exception,
    [16 + 3] = unexpected_exception,
    [16 + PWM_IRQ_WRAP] = pwm_irq_wrap_handler,
    [16 + 5] = unexpected_exception,
    [16 + 6] = unexpected_exception,
    [16 + PIO0_IRQ_0] = pio0_irq_0_handler,
    [16 + DMA_IRQ_0] = dma_irq_0_handler,
    [16 + IO_IRQ_BANK0] = io_irq_bank0_handler,
};

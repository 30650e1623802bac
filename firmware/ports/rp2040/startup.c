/* Vector table and C start-up. boot2 enters reset_handler through the table; an image that lies in RAM, as some of the
 * tests do, has its data in place already. */
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
HANDLER(uart1_irq_handler);

/* Interrupts that no image enables have no entry. */
__attribute__((section(".vectors"), used)) void (*const vectors[16 + 32])(void) = {
    (void (*)(void))(uintptr_t)stack_top,
    (void (*)(void))reset_handler,
    nmi_handler,
    hard_fault_handler,
    [11] = svcall_handler,
    [14] = pendsv_handler,
    [15] = systick_handler,
    [16 + TIMER_IRQ_0] = timer_irq_0_handler,
    [16 + PWM_IRQ_WRAP] = pwm_irq_wrap_handler,
    [16 + PIO0_IRQ_0] = pio0_irq_0_handler,
    [16 + DMA_IRQ_0] = dma_irq_0_handler,
    [16 + IO_IRQ_BANK0] = io_irq_bank0_handler,
    [16 + UART1_IRQ] = uart1_irq_handler,
};

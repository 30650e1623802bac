/* Cycles of one load or store to each kind of bus target, code and data in SRAM; and how many cycles after its
 * second operand the divider's result can be read. */
#include "support.h"

#define TURNS 16
#define RUN(instruction, address)                                                                                  \
    ({                                                                                                             \
        uint32_t first_, second_, data_ = 0;                                                                       \
        __asm__ volatile("ldr %0, [%3]\n\t.rept 16\n\t" instruction " %2, [%4]\n\t.endr\n\tldr %1, [%3]"          \
                         : "=&l"(first_), "=&l"(second_), "+&l"(data_)                                            \
                         : "l"(&SYST_CVR), "l"(address)                                                            \
                         : "memory");                                                                              \
        (first_ - second_ - 2) / TURNS;                                                                            \
    })

static uint32_t word;

/* Whether 1000 / 10 can be read from the SIO divider after so many no-operations. */
#define QUOTIENT_AFTER(nops)                                                                                       \
    ({                                                                                                             \
        uint32_t quotient_;                                                                                        \
        SIO_DIV_UDIVIDEND = 1000;                                                                                  \
        __asm__ volatile("str %2, [%1, #4]\n\t.rept " #nops "\n\tnop\n\t.endr\n\tldr %0, [%1, #16]"              \
                         : "=&l"(quotient_)                                                                        \
                         : "l"(&SIO_DIV_UDIVIDEND), "l"(10u)                                                       \
                         : "memory");                                                                              \
        forget_quotient();                                                                                         \
        quotient_ == 100;                                                                                          \
    })

static void forget_quotient(void) {
    SIO_DIV_UDIVIDEND = 7;
    SIO_DIV_UDIVISOR = 7;
    while (!(SIO_DIV_CSR & 1)) {
    }
}

static uint32_t divider_wait(void) {
    forget_quotient();
    const uint32_t known[] = {QUOTIENT_AFTER(5), QUOTIENT_AFTER(6), QUOTIENT_AFTER(7), QUOTIENT_AFTER(8),
                              QUOTIENT_AFTER(9)};
    uint32_t nops = 0;
    while (nops < 5 && !known[nops]) {
        nops++;
    }
    return 5 + nops;
}

int main(void) {
    console_start();
    reset_release(RESET_DMA | RESET_PWM);
    stopwatch_start();
    put_named("SRAM load", RUN("ldr", &word));
    put_named("SRAM store", RUN("str", &word));
    put_named("SIO load", RUN("ldr", &SIO_CPUID));
    put_named("SIO store", RUN("str", &SIO_GPIO_OUT_SET));
    put_named("system load", RUN("ldr", &SYST_RVR));
    put_named("AHB load", RUN("ldr", &DMA_READ_ADDR(0)));
    put_named("AHB store", RUN("str", &DMA_READ_ADDR(0)));
    put_named("APB load", RUN("ldr", &TIMER_TIMERAWL));
    put_named("APB store", RUN("str", &PWM_TOP(0)));
    put_named("APB alias store", RUN("str", (uintptr_t)&PWM_TOP(0) + CLEAR_ALIAS));
    put_named("UART alias store", RUN("str", (uintptr_t)&UART_IBRD(UART0_BASE) + 0x2000u));
    put_named("divider nops", divider_wait());
    finish();
}

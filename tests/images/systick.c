/* SysTick interrupts every 12 500 cycles (100 us at 125 MHz) and pends PendSV, which has the lowest priority
 * and so follows by tail-chaining. GP25 is high during SysTick's handler. The log shows the order of the two
 * handlers. */
#include "support.h"

#define TICKS 10
#define LED 25
#define SCB_ICSR REGISTER(0xe000ed04u)
#define ICSR_PENDSVSET (1u << 28)
#define SCB_SHPR3 REGISTER(0xe000ed20u)

static volatile char log[2 * TICKS + 1];
static volatile uint32_t logged, ticks;

void systick_handler(void) {
    SIO_GPIO_OUT_SET = 1u << LED;
    if (++ticks == TICKS) {
        SYST_CSR = 0;
    }
    log[logged++] = 'T';
    SCB_ICSR = ICSR_PENDSVSET;
    log[logged] = '\0';
    SIO_GPIO_OUT_CLR = 1u << LED;
}

void pendsv_handler(void) { log[logged++] = 'p'; }

int main(void) {
    console_start();
    pin_output(LED);
    SCB_SHPR3 = 3u << 22;
    uint32_t started = time_us();
    SYST_RVR = 12500 - 1;
    SYST_CVR = 0;
    SYST_CSR = 7;
    while (ticks < TICKS) {
        wait_for_interrupt();
    }
    uint32_t ended = time_us();
    for (uint32_t index = 0; index < logged; index++) {
        put_char(log[index]);
    }
    put_char('\n');
    put_named("ticks", ticks);
    put_named("~ microseconds", ended - started);
    SYST_CVR = 0;
    SYST_CSR = 5;
    uint32_t polled = 0;
    while (polled < 3) {
        polled += SYST_CSR >> 16 & 1;
    }
    SYST_CSR = 0;
    put_named("counts to zero seen", polled);
    finish();
}

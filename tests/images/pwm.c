/* PWM slice 4 on GP8: 1000 counts of 16 cycles a period. The wrap interrupt sets the next duty, so that the
 * pin shows a quarter, a half, three quarters, all and none of a period in turn. */
#include "support.h"

#define SLICE 4u
#define PIN 8
#define PERIOD 1000

static const uint16_t duties[] = {250, 500, 750, 1000, 0, 0};
#define STEPS (sizeof duties / sizeof duties[0])
static volatile uint32_t wraps;

void pwm_irq_wrap_handler(void) {
    PWM_INTR = 1u << SLICE;
    if (wraps < STEPS) {
        PWM_CC(SLICE) = duties[wraps];
    } else {
        PWM_INTE = 0;
    }
    wraps++;
}

int main(void) {
    console_start();
    reset_release(RESET_PWM);
    PWM_CSR(SLICE) = 0;
    PWM_DIV(SLICE) = 16u << 4;
    PWM_TOP(SLICE) = PERIOD - 1;
    PWM_CC(SLICE) = 0;
    PWM_CTR(SLICE) = 0;
    pin_function(PIN, FUNCTION_PWM);
    PWM_INTE = 1u << SLICE;
    interrupt_enable(PWM_IRQ_WRAP);
    uint32_t from = time_us();
    PWM_CSR(SLICE) = 1;
    while (wraps <= STEPS) {
        wait_for_interrupt();
    }
    PWM_CSR(SLICE) = 0;
    uint32_t ended = time_us();
    put_named("wraps", wraps);
    put_named("~ microseconds", ended - from);
    finish();
}

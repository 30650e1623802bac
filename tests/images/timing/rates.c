/* Rates of the serial port, the ADC and the timer, and how long the XIP cache takes to flush, in cycles. */
#include "support.h"

#define XIP_CTRL_FLUSH REGISTER(0x14000004u)
#define SAMPLES 100u
#define LETTERS 50u

static void wait_until_sent(void) {
    while (UART_FR(UART0_BASE) & UART_FR_BUSY) {
    }
}

static uint32_t cycles_of_text(uint32_t count) {
    wait_until_sent();
    stopwatch_start();
    for (uint32_t letter = 0; letter < count; letter++) {
        put_char('u');
    }
    wait_until_sent();
    uint32_t cycles = stopwatch_cycles();
    put_char('\n');
    return cycles;
}

static void wait_for_samples(uint32_t count) {
    while (count) {
        if (ADC_FCS >> 16 & 15) {
            (void)ADC_FIFO;
            count--;
        }
    }
}

static uint32_t cycles_of_samples(void) {
    clocks_start_adc();
    reset_release(RESET_ADC);
    ADC_CS = ADC_CS_EN;
    while (!(ADC_CS & ADC_CS_READY)) {
    }
    ADC_FCS = 1;
    ADC_CS = ADC_CS_EN | ADC_CS_START_MANY;
    wait_for_samples(2);
    stopwatch_start();
    wait_for_samples(SAMPLES);
    return stopwatch_cycles();
}

static IN_RAM uint32_t cycles_of_ticks(uint32_t ticks) {
    uint32_t now = TIMER_TIMERAWL;
    while (TIMER_TIMERAWL == now) {
    }
    uint32_t from = SYST_CVR;
    while (TIMER_TIMERAWL - now <= ticks) {
    }
    return from - SYST_CVR;
}

static IN_RAM uint32_t cycles_of_flush(void) {
    stopwatch_start();
    uint32_t from = SYST_CVR;
    XIP_CTRL_FLUSH = 1;
    (void)XIP_CTRL_FLUSH;
    return from - SYST_CVR;
}

int main(void) {
    console_start();
    cycles_of_text(1);
    uint32_t few = cycles_of_text(LETTERS), many = cycles_of_text(2 * LETTERS);
    put_named("letter cycles", (many - few) / LETTERS);
    put_named("samples cycles", cycles_of_samples());
    stopwatch_start();
    put_named("1000 ticks cycles", cycles_of_ticks(1000));
    put_named("flush cycles", cycles_of_flush());
    finish();
}

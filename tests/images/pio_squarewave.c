/* Two state machines run one program on GP2 and GP3, the second at half the clock: as many pulses as the FIFO
 * says, four cycles high and four low, then an interrupt. The handler logs which machine is done. */
#include "pio_program.h"

static const uint16_t program[] = {
    PIO_PULL_BLOCK,         PIO_MOV_X_OSR, PIO_SET_PINS(1) | PIO_DELAY(3), PIO_SET_PINS(0) | PIO_DELAY(2),
    PIO_JMP_X_DECREMENT(2), PIO_IRQ_OWN,
};
#define LAST (sizeof program / sizeof program[0] - 1)

static volatile uint32_t finished[4];
static volatile uint32_t finished_count;

void pio0_irq_0_handler(void) {
    uint32_t flags = PIO0_IRQ & 3;
    PIO0_IRQ = flags;
    for (uint32_t machine = 0; machine < 2; machine++) {
        if (flags >> machine & 1) {
            finished[finished_count++] = machine;
        }
    }
}

static void run(uint32_t pulses0, uint32_t pulses1) {
    finished_count = 0;
    uint32_t from = time_us();
    PIO0_TXF(0) = pulses0 - 1;
    PIO0_TXF(1) = pulses1 - 1;
    /* Off, or the last interrupt between the look and WFI would be slept through; WFI wakes all the same. */
    interrupts_off();
    while (finished_count < 2) {
        wait_for_interrupt();
        interrupts_on();
        interrupts_off();
    }
    interrupts_on();
    uint32_t ended = time_us();
    put_named("first to finish: machine", finished[0]);
    put_named("then machine", finished[1]);
    put_named("~ microseconds", ended - from);
}

int main(void) {
    console_start();
    reset_release(RESET_PIO0);
    pio_load(0, program, LAST + 1);
    pio_output(0, 2);
    pio_output(1, 3);
    pio_prepare(0, 12 * 256 + 128, 0, LAST, PINCTRL_SET(2, 1), 0);
    pio_prepare(1, 25 * 256, 0, LAST, PINCTRL_SET(3, 1), 0);
    PIO0_IRQ0_INTE = 3u << 8;
    interrupt_enable(PIO0_IRQ_0);
    PIO0_CTRL = PIO_CTRL_RESTART(3);
    PIO0_CTRL = 3;
    run(5, 5);
    run(30, 10);
    finish();
}

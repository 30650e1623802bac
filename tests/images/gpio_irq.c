/* Edge interrupts of pins: GP13 sees its own output through its pad; GP15 sees what a wire from GP14 or the
 * outside brings. Each edge is logged by its handler as r or f. Without the wire the second line is empty. */
#include "support.h"

#define SELF 13u
#define DRIVER 14u
#define WIRED 15u
#define EDGES 10

static volatile char log[4 * EDGES];
static volatile uint32_t logged;

void io_irq_bank0_handler(void) {
    uint32_t status = IO_BANK0_PROC0_INTS(WIRED);
    IO_BANK0_INTR(WIRED) = status;
    if (status & (EDGE_HIGH(SELF) | EDGE_HIGH(WIRED))) {
        log[logged++] = 'r';
    }
    if (status & (EDGE_LOW(SELF) | EDGE_LOW(WIRED))) {
        log[logged++] = 'f';
    }
}

static void watch(const char *name, uint32_t driver, uint32_t watched) {
    uint32_t both = EDGE_HIGH(watched) | EDGE_LOW(watched);
    logged = 0;
    IO_BANK0_INTR(watched) = both;
    IO_BANK0_PROC0_INTE(watched) = both;
    interrupt_enable(IO_IRQ_BANK0);
    for (uint32_t edge = 0; edge < EDGES; edge++) {
        SIO_GPIO_OUT_XOR = 1u << driver;
        uint32_t from = time_us();
        while (time_us() - from < 10) {
        }
    }
    IO_BANK0_PROC0_INTE(watched) = 0;
    put_text(name);
    put_text(": ");
    for (uint32_t index = 0; index < logged; index++) {
        put_char(log[index]);
    }
    put_char('\n');
}

/* A level takes two cycles through the synchroniser of its pin. */
static uint32_t read_own(void) {
    __asm__ volatile("nop\n\tnop" ::: "memory");
    return SIO_GPIO_IN >> SELF & 1;
}

int main(void) {
    console_start();
    pin_output(SELF);
    pin_output(DRIVER);
    pin_function(WIRED, FUNCTION_SIO);
    watch("GP13's own edges", SELF, SELF);
    watch("GP14 on GP15", DRIVER, WIRED);
    SIO_GPIO_OUT_SET = 1u << SELF;
    put_named("GP13 reads", read_own());
    SIO_GPIO_OUT_CLR = 1u << SELF;
    put_named("GP13 reads", read_own());
    finish();
}

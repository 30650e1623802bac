/* SPI0 on GP16 (RX), GP18 (SCK), GP19 (TX), chip select by software on GP17, one frame at a time. First with
 * the PL022's internal loopback in every mode and at several clocks, then on the pins: with a wire from GP19
 * to GP16 the pattern comes back, without it zeros. */
#include "support.h"

#define CHIP_SELECT 17

static uint32_t exchange(uint32_t frame) {
    while (!(SPI0_SSPSR & SSPSR_TNF)) {
    }
    SPI0_SSPDR = frame;
    while (!(SPI0_SSPSR & SSPSR_RNE)) {
    }
    return SPI0_SSPDR;
}

static void configure(uint32_t bits, uint32_t mode, uint32_t prescale, uint32_t rate, uint32_t loopback) {
    uint32_t polarity = mode >> 1, phase = mode & 1;
    SPI0_SSPCR1 = 0;
    SPI0_SSPCPSR = prescale;
    SPI0_SSPCR0 = rate << 8 | phase << 7 | polarity << 6 | (bits - 1);
    SPI0_SSPCR1 = SSPCR1_SSE | loopback;
}

static void transfer(const char *name, uint32_t bits, uint32_t frames) {
    put_text(name);
    put_char(':');
    SIO_GPIO_OUT_CLR = 1u << CHIP_SELECT;
    stopwatch_start();
    uint32_t answers[8], mask = (1u << bits) - 1;
    for (uint32_t index = 0; index < frames; index++) {
        answers[index] = exchange((0x1234u + 0x1111u * index) & mask);
    }
    while (SPI0_SSPSR & SSPSR_BSY) {
    }
    uint32_t cycles = stopwatch_cycles();
    SIO_GPIO_OUT_SET = 1u << CHIP_SELECT;
    for (uint32_t index = 0; index < frames; index++) {
        put_char(' ');
        put_hex(answers[index], (bits + 3) / 4);
    }
    put_char('\n');
    put_named("~ cycles", cycles);
}

int main(void) {
    console_start();
    reset_release(RESET_SPI0);
    pin_function(16, FUNCTION_SPI);
    pin_function(18, FUNCTION_SPI);
    pin_function(19, FUNCTION_SPI);
    pin_output(CHIP_SELECT);
    SIO_GPIO_OUT_SET = 1u << CHIP_SELECT;
    for (uint32_t mode = 0; mode < 4; mode++) {
        configure(8, mode, 2, 0, SSPCR1_LBM);
        put_named("mode", mode);
        transfer("loopback, 8 bits, clk_peri / 2", 8, 8);
    }
    configure(16, 0, 2, 2, SSPCR1_LBM);
    transfer("loopback, 16 bits, clk_peri / 6", 16, 8);
    configure(5, 3, 4, 9, SSPCR1_LBM);
    transfer("loopback, 5 bits, clk_peri / 40", 5, 8);
    configure(8, 0, 10, 255, SSPCR1_LBM);
    transfer("loopback, 8 bits, clk_peri / 2560", 8, 4);
    configure(8, 0, 2, 5, 0);
    transfer("pins, 8 bits, clk_peri / 12", 8, 8);
    finish();
}

/* ADC: one-shot conversions of GP26 and of the temperature sensor, then eight by round robin through the
 * FIFO. With nothing connected, GP26 reads 0 in an emulator; a test may set it. The line that begins with '?'
 * is wrong in the oracle. */
#include "support.h"

#define INPUT_GP26 0u
#define INPUT_TEMPERATURE 4u

static uint32_t convert(uint32_t input) {
    ADC_CS = ADC_CS_EN | ADC_CS_TS_EN | input << 12;
    while (!(ADC_CS & ADC_CS_READY)) {
    }
    ADC_CS = ADC_CS_EN | ADC_CS_TS_EN | input << 12 | ADC_CS_START_ONCE;
    while (!(ADC_CS & ADC_CS_READY)) {
    }
    return ADC_RESULT;
}

int main(void) {
    console_start();
    clocks_start_adc();
    reset_release(RESET_ADC);
    PADS_GPIO(26) = 1u << 7; /* output off, input off, no pulls */
    GPIO_CTRL(26) = FUNCTION_NULL;
    put_named("GP26", convert(INPUT_GP26));
    uint32_t raw = convert(INPUT_TEMPERATURE);
    put_named("temperature", raw);
    /* 27 degrees at 0.706 V, -1.721 mV a degree (4.9.5), in thousandths */
    int32_t microvolts = (int32_t)(raw * 3300000u >> 12);
    put_text("millidegrees ");
    put_signed(27000 - (microvolts - 706000) * 581 / 1000);
    put_char('\n');
    ADC_FCS = 1;
    ADC_DIV = 960u << 8;
    uint32_t from = time_us();
    ADC_CS = ADC_CS_EN | ADC_CS_TS_EN | 0x11u << 16 | ADC_CS_START_MANY;
    put_text("? round robin:"); /* the oracle stays on the last channel */
    for (uint32_t index = 0; index < 8; index++) {
        while (ADC_FCS & 1u << 8) {
        }
        put_char(' ');
        put_decimal(ADC_FIFO);
    }
    uint32_t ended = time_us();
    ADC_CS = ADC_CS_EN;
    put_char('\n');
    put_named("~ microseconds", ended - from);
    finish();
}

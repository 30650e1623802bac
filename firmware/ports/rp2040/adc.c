/* The ADC, clocked with 48 MHz by PLL_USB, one conversion at a time. */
#include "adc.h"

#include "clock_sources.h"
#include "pads.h"
#include "resets.h"

#define INPUT_GPIO26 0u
#define INPUT_TEMPERATURE 4u

void adc_start(void) {
    resets_release(RESET_PLL_USB);
    clk_adc_from_pll();
    resets_release(RESET_ADC);
    PADS_GPIO(26) = 0; /* no digital input, no pulls (4.9.2.1) */
    GPIO_CTRL(26) = FUNCTION_NULL;
    ADC_CS = ADC_CS_EN | ADC_CS_TS_EN;
}

/* 96 cycles of 48 MHz (4.9.2.2): it ends with the clock that adc_start() has waited for. */
static uint32_t convert(uint32_t input) {
    ADC_CS = ADC_CS_EN | ADC_CS_TS_EN | input << 12 | ADC_CS_START_ONCE;
    while (!(ADC_CS & ADC_CS_READY)) {
    }
    return ADC_RESULT;
}

uint32_t adc_input0_millivolts(void) { return convert(INPUT_GPIO26) * 3300u / 4096u; }

/* 0.706 V at 27 degrees, 1.721 mV less for each degree more (4.9.5). Unsigned, as a signed division is one function
 * more. */
int32_t adc_temperature_decidegrees(void) {
    uint32_t microvolts = convert(INPUT_TEMPERATURE) * 825000u / 1024u;
    if (microvolts > 706000u) {
        return 270 - (int32_t)((microvolts - 706000u) * 10u / 1721u);
    }
    return 270 + (int32_t)((706000u - microvolts) * 10u / 1721u);
}

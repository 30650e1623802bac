/* The ADC, one conversion at a time, against the board's 5 V. */
#include "adc.h"

#include <avr/io.h>

#include "board.h"

#define SUPPLY_MILLIVOLTS 5000u
#define STEPS 1024u

/* Its clock is to be 50 to 200 kHz for all ten bits (datasheet, "Prescaling and Conversion Timing"): a 128th. */
_Static_assert(BOARD_CRYSTAL_HZ / 128u >= 50000u && BOARD_CRYSTAL_HZ / 128u <= 200000u, "the ADC's clock is in range");

void adc_start(void) {
    ADMUX = _BV(REFS0);
    ADCSRA = _BV(ADEN) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0);
}

/* 25 of the ADC's clocks at most: it ends whatever is at the pin. */
uint32_t adc_input0_millivolts(void) {
    ADCSRA |= _BV(ADSC);
    while (ADCSRA & _BV(ADSC)) {
    }
    return (uint32_t)ADC * SUPPLY_MILLIVOLTS / STEPS;
}

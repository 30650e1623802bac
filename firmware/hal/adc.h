/* Voltages. */
#ifndef HAL_ADC_H
#define HAL_ADC_H

#include <stdint.h>

void adc_start(void);
/* The voltage at input 0, which is GPIO26 of an RP2040 and A0 of an Arduino, against the board's supply. */
uint32_t adc_input0_millivolts(void);
/* The chip's temperature sensor, in tenths of a degree Celsius; the larger AVRs have none (ADC_WITHOUT_TEMPERATURE). */
int32_t adc_temperature_decidegrees(void);

#endif

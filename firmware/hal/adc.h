/* Voltages. */
#ifndef HAL_ADC_H
#define HAL_ADC_H

#include <stdint.h>

void adc_start(void);
/* The voltage on GPIO26, ADC input 0, for a reference of 3.3 V. */
uint32_t adc_gpio26_millivolts(void);
/* The chip's temperature sensor, in tenths of a degree Celsius. */
int32_t adc_temperature_decidegrees(void);

#endif

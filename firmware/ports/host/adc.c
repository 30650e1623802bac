/* Voltages of a PC: what AIRWIRE_MILLIVOLTS and AIRWIRE_DECIDEGREES say, else half of 3.3 V and 27 degrees. */
#include "adc.h"

#include <stdlib.h>

static long said(const char *variable, long otherwise) {
    const char *text = getenv(variable);
    return text ? strtol(text, NULL, 10) : otherwise;
}

void adc_start(void) {}

uint32_t adc_input0_millivolts(void) { return (uint32_t)said("AIRWIRE_MILLIVOLTS", 1650); }

int32_t adc_temperature_decidegrees(void) { return (int32_t)said("AIRWIRE_DECIDEGREES", 270); }

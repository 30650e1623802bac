/* CoreMark on the RP2040: time from TIMER, seeds of the performance run, and just as much of printf as its report
 * needs. CoreMark's own sources are not here. */
#include "coremark.h"

#include <stdarg.h>

#include "support.h"

volatile ee_s32 seed1_volatile = 0;
volatile ee_s32 seed2_volatile = 0;
volatile ee_s32 seed3_volatile = 0x66;
volatile ee_s32 seed4_volatile = 40; /* iterations */
volatile ee_s32 seed5_volatile = 0;
ee_u32 default_num_contexts = 1;

static uint32_t started, stopped;

void start_time(void) { started = time_us(); }

void stop_time(void) { stopped = time_us(); }

CORE_TICKS get_time(void) { return stopped - started; }

secs_ret time_in_secs(CORE_TICKS ticks) { return ticks / 1000000; }

void portable_init(core_portable *port, int *argc, char *argv[]) {
    (void)argc;
    (void)argv;
    console_start();
    port->portable_id = 1;
}

void portable_fini(core_portable *port) {
    port->portable_id = 0;
    finish();
}

/* The conversions that CoreMark uses: d, u and s, and x always with four digits. */
int ee_printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (; *format; format++) {
        if (*format != '%') {
            put_char(*format);
            continue;
        }
        do {
            format++;
        } while (*format == 'l' || (*format >= '0' && *format <= '9'));
        if (*format == 's') {
            put_text(va_arg(arguments, const char *));
        } else if (*format == 'x') {
            put_hex(va_arg(arguments, uint32_t), 4);
        } else {
            put_decimal(va_arg(arguments, uint32_t));
        }
    }
    va_end(arguments);
    return 0;
}

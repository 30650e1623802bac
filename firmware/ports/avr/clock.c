/* Time by timer 1, which counts an eighth of the crystal in periods of 10 ms: a whole number of counts for every
 * crystal that is a multiple of 800 Hz, so that no fraction of a microsecond is ever lost. */
#include "clock.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdbool.h>

#include "board.h"
#include "interrupt.h"
#include "settings.h"

SETTING(clock_start_ms, 0, "ms", "what the millisecond clock begins with");

#define PERIOD_US 10000u
#define PERIOD_MS 10u
#define PERIOD_COUNTS (BOARD_CRYSTAL_HZ / 800u)
_Static_assert(PERIOD_COUNTS * 800u == BOARD_CRYSTAL_HZ && PERIOD_COUNTS <= 32767u,
               "a period is a whole number of counts, and two of them fit the timer");

/* Microseconds of a count in 16 bits behind the point, milliseconds in 24, counts of a microsecond in 16. Each is
 * rounded down, so that a period never has more than its microseconds. */
#define US_OF_COUNT (uint16_t)(65536ull * PERIOD_US / PERIOD_COUNTS)
#define MS_OF_COUNT (uint16_t)((PERIOD_MS * 16777216ull) / PERIOD_COUNTS)
#define COUNTS_OF_US (uint32_t)(65536ull * PERIOD_COUNTS / PERIOD_US)
/* The alarm must still be ahead when it is set. */
#define LEAST_ALARM_COUNTS 8u

static volatile uint32_t periods_us, periods_ms;

ISR(TIMER1_COMPA_vect) {
    periods_us += PERIOD_US;
    periods_ms += PERIOD_MS;
}

/* It ends a sleep and does nothing else. */
EMPTY_INTERRUPT(TIMER1_COMPB_vect)

void clock_start(void) {
    periods_us = 0;
    periods_ms = setting_clock_start_ms;
    OCR1A = (uint16_t)(PERIOD_COUNTS - 1u);
    TCCR1A = 0;
    TCCR1B = _BV(WGM12) | _BV(CS11);
    TIMSK1 = _BV(OCIE1A);
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
}

uint32_t clock_system_hz(void) { return BOARD_CRYSTAL_HZ; }

/* What has passed since the start: in whole periods as they were counted, each so long, and in counts of the present
 * one. A period that has ended without its handler having run is added. */
static inline uint32_t read_clock(const volatile uint32_t *periods, uint16_t period, uint16_t *count) {
    uint8_t held = SREG;
    cli();
    *count = TCNT1;
    bool has_ended = TIFR1 & _BV(OCF1A);
    if (has_ended) {
        *count = TCNT1;
    }
    uint32_t before = *periods;
    SREG = held;
    return has_ended ? before + period : before;
}

uint32_t clock_us(void) {
    uint16_t count;
    uint32_t before_us = read_clock(&periods_us, PERIOD_US, &count);
    return before_us + (uint16_t)((uint32_t)count * US_OF_COUNT >> 16);
}

uint32_t clock_ms(void) {
    uint16_t count;
    uint32_t before_ms = read_clock(&periods_ms, PERIOD_MS, &count);
    return before_ms + (uint8_t)((uint32_t)count * MS_OF_COUNT >> 24);
}

/* The end of a period ends a sleep in any case. Interrupts are enabled by the instruction before the sleep, whose
 * successor always runs (instruction set manual, SEI), so that none can come in between. */
void clock_sleep(uint32_t limit_us) {
    uint8_t held = SREG;
    cli();
    if (limit_us < PERIOD_US) {
        uint16_t counts = (uint16_t)(limit_us * COUNTS_OF_US >> 16), alarm = (uint16_t)(TCNT1 + counts);
        if (counts < LEAST_ALARM_COUNTS) {
            SREG = held;
            return;
        }
        OCR1B = alarm;
        TIFR1 = _BV(OCF1B);
        TIMSK1 = alarm < PERIOD_COUNTS ? _BV(OCIE1A) | _BV(OCIE1B) : _BV(OCIE1A);
    }
    sleep_enable();
    sei();
    sleep_cpu();
    cli();
    sleep_disable();
    TIMSK1 = _BV(OCIE1A);
    SREG = held;
}

uint32_t interrupts_hold(void) {
    uint8_t held = SREG;
    cli();
    return held;
}

void interrupts_release(uint32_t held) { SREG = (uint8_t)held; }

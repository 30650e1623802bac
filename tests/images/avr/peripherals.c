/* What an ATmega328P's peripherals show to a program, printed on USART0 for a comparison of two emulators. In lines that begin
 * with ~ a count may be one off: the prescaler runs on by itself, and the oracle's begins with the timer's clock. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <stdint.h>

static void put(char c) {
    while (!(UCSR0A & (1 << UDRE0))) {
    }
    UDR0 = c;
}

static void text(const char *from) {
    for (char c; (c = (char)pgm_read_byte(from)) != 0; from++) put(c);
}

static void number(uint16_t value) {
    char digits[5];
    uint8_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (count) put(digits[--count]);
}

static void line(const char *name, const uint16_t *values, uint8_t count) {
    text(name);
    for (uint8_t at = 0; at < count; at++) {
        put(' ');
        number(values[at]);
    }
    put('\n');
}

#define LINE(name, ...)                                                    \
    do {                                                                   \
        const uint16_t values[] = {__VA_ARGS__};                           \
        line(PSTR(name), values, sizeof values / sizeof values[0]);        \
    } while (0)

static void timer_0(const uint8_t mode, const uint8_t clock) {
    uint16_t seen[6];
    TCCR0B = 0;
    TCCR0A = mode & 3;
    OCR0A = 99;
    OCR0B = 40;
    TCNT0 = 0;
    TIFR0 = 7;
    GTCCR = 1;
    TCCR0B = (uint8_t)((mode & 4) << 1 | clock);
    seen[0] = TCNT0;
    __builtin_avr_delay_cycles(30);
    seen[1] = TCNT0;
    __builtin_avr_delay_cycles(57);
    seen[2] = TCNT0;
    __builtin_avr_delay_cycles(101);
    seen[3] = TCNT0;
    __builtin_avr_delay_cycles(1000);
    seen[4] = TCNT0;
    __builtin_avr_delay_cycles(9000);
    seen[5] = TIFR0;
    TCCR0B = 0;
    text(clock > 1 ? PSTR("~ timer0 mode ") : PSTR("timer0 mode "));
    number(mode);
    text(PSTR(" clock "));
    number(clock);
    line(PSTR(""), seen, 6);
}

static void timer_1(const uint8_t mode, const uint8_t clock, const uint16_t compare) {
    uint16_t seen[4];
    TCCR1B = 0;
    TCCR1A = mode & 3;
    TCNT1 = 0;
    ICR1 = 5000;
    OCR1A = compare;
    OCR1B = compare / 3;
    TIFR1 = 0x27;
    GTCCR = 1;
    TCCR1B = (uint8_t)((mode & 12) << 1 | clock);
    __builtin_avr_delay_cycles(100);
    seen[0] = TCNT1;
    __builtin_avr_delay_cycles(2000);
    seen[1] = TCNT1;
    __builtin_avr_delay_cycles(5000);
    seen[2] = TCNT1;
    __builtin_avr_delay_cycles(60000);
    seen[3] = TIFR1 & 7;
    TCCR1B = 0;
    text(clock > 1 ? PSTR("~ timer1 mode ") : PSTR("timer1 mode "));
    number(mode);
    text(PSTR(" clock "));
    number(clock);
    line(PSTR(""), seen, 4);
}

static volatile uint16_t overflows, matches;
ISR(TIMER2_OVF_vect) { overflows++; }
ISR(TIMER2_COMPA_vect) { matches++; }

static void interrupts(void) {
    TCCR2A = 2;
    OCR2A = 249;
    TIMSK2 = 1 << OCIE2A;
    TCNT2 = 0;
    TCCR2B = 4;
    sei();
    /* 64 * 250 cycles a match. */
    __builtin_avr_delay_cycles(168000);
    cli();
    TCCR2B = 0;
    TCCR2A = 0;
    TIMSK2 = 1 << TOIE2;
    TIFR2 = 7;
    TCNT2 = 0;
    TCCR2B = 3;
    sei();
    __builtin_avr_delay_cycles(90000);
    cli();
    TCCR2B = 0;
    LINE("interrupts", matches, overflows);
}

static void pins(void) {
    DDRB = 0x02;
    PORTB = 0x02;
    __asm__ volatile("nop");
    uint16_t high = PINB & 0x02;
    PINB = 0x02;
    __asm__ volatile("nop");
    uint16_t low = PINB & 0x02;
    LINE("pins", high, low);
}

static void memory(void) {
    eeprom_write_byte((uint8_t *)7, 0x5a);
    eeprom_write_word((uint16_t *)100, 0x1234);
    LINE("eeprom", eeprom_read_byte((uint8_t *)7), eeprom_read_word((uint16_t *)100), eeprom_read_byte((uint8_t *)8));
}

static void spi(void) {
    uint16_t seen[4];
    DDRB = 1 << 2 | 1 << 3 | 1 << 5;
    for (uint8_t mode = 0; mode < 4; mode++) {
        SPCR = (uint8_t)(1 << SPE | 1 << MSTR | mode << 2 | mode);
        SPDR = (uint8_t)(0x37 * (mode + 1));
        while (!(SPSR & (1 << SPIF))) {
        }
        seen[mode] = SPDR;
    }
    line(PSTR("spi"), seen, 4);
    SPCR = 0;
}

int main(void) {
    UCSR0A = 1 << U2X0;
    UBRR0 = 16;
    UCSR0B = 1 << TXEN0;
    static const uint8_t modes[] = {0, 2, 3, 7};
    for (uint8_t at = 0; at < sizeof modes; at++) {
        timer_0(modes[at], 1);
        timer_0(modes[at], 2);
        timer_0(modes[at], 3);
    }
    timer_1(0, 1, 3000);
    timer_1(4, 1, 3000);
    timer_1(12, 1, 3000);
    timer_1(5, 1, 200);
    timer_1(14, 2, 3000);
    interrupts();
    pins();
    memory();
    spi();
    text(PSTR("done\n"));
    for (;;) {
    }
}

/* Timer 0 counts ticks in its handler while the program prints them: something for a debugger to stop at. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdint.h>

volatile uint16_t ticks;

ISR(TIMER0_OVF_vect) { ticks++; }

__attribute__((noinline)) void show(uint8_t digit) {
    while (!(UCSR0A & (1 << UDRE0))) {
    }
    UDR0 = (uint8_t)('0' + digit);
}

int main(void) {
    UCSR0B = 1 << TXEN0;
    TCCR0B = 3;
    TIMSK0 = 1;
    sei();
    for (uint8_t digit = 0; digit < 10; digit++) {
        sleep_mode();
        show(digit);
    }
    cli();
    for (;;) {
    }
}

/* For an ATmega2560 that is joined to another board: USART1 sends back each byte that comes, plus one, at 115200 baud;
 * PA1 follows PA0. Before that byte 0 of the EEPROM is printed on USART0 as a digit, and counted up. */
#include <avr/eeprom.h>
#include <avr/io.h>
#include <stdint.h>

/* 16 MHz at double speed: 2.1 % too fast (datasheet, "Examples of Baud Rate Setting"). */
#define DIVIDER 16

static void print(uint8_t byte) {
    while (!(UCSR0A & (1 << UDRE0))) {
    }
    UDR0 = byte;
}

int main(void) {
    UCSR0A = UCSR1A = 1 << U2X0;
    UBRR0 = UBRR1 = DIVIDER;
    UCSR0B = 1 << TXEN0;
    UCSR1B = 1 << TXEN1 | 1 << RXEN1;
    DDRA = 1 << PA1;
    uint8_t count = eeprom_read_byte((const uint8_t *)0);
    print((uint8_t)('0' + count));
    eeprom_write_byte((uint8_t *)0, (uint8_t)(count + 1));
    eeprom_busy_wait();
    print('\n');
    for (;;) {
        if (PINA & 1 << PA0) {
            PORTA |= 1 << PA1;
        } else {
            PORTA &= (uint8_t) ~(1 << PA1);
        }
        if (UCSR1A & 1 << RXC1) {
            uint8_t errors = UCSR1A & (1 << FE1 | 1 << DOR1 | 1 << UPE1);
            UDR1 = errors ? '!' : (uint8_t)(UDR1 + 1);
        }
    }
}

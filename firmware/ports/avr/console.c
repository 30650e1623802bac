/* The console: USART0, by the processor. */
#include "console.h"

#include <avr/io.h>

#include "board.h"

/* At double speed a bit is eight counts (datasheet, "Internal Clock Generation"). */
void console_start(uint32_t baud) {
    UCSR0A = _BV(U2X0);
    UBRR0 = (uint16_t)((BOARD_CRYSTAL_HZ + 4u * baud) / (8u * baud) - 1u);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(TXEN0) | _BV(RXEN0);
}

/* Ends, as the USART always sends. */
void console_put(char character) {
    while (!(UCSR0A & _BV(UDRE0))) {
    }
    UDR0 = (uint8_t)character;
}

int console_get(void) { return UCSR0A & _BV(RXC0) ? UDR0 : -1; }

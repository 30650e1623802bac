/* The second USART by interrupts, with a ring for each direction. The chips with one have none left beside the console.
 */
#include "uart.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdbool.h>

#include "board.h"

#define RING_BYTES 64u /* a power of two, at most 256 */

static struct {
    uint8_t bytes[RING_BYTES];
    volatile uint8_t put, taken; /* they wrap, and their difference is what waits */
} sent, received;

static bool is_full(uint8_t put, uint8_t taken) { return (uint8_t)(put - taken) == RING_BYTES; }

ISR(USART1_UDRE_vect) {
    uint8_t taken = sent.taken;
    if (taken == sent.put) {
        UCSR1B &= (uint8_t)~_BV(UDRIE1);
        return;
    }
    UDR1 = sent.bytes[taken % RING_BYTES];
    sent.taken = (uint8_t)(taken + 1u);
}

ISR(USART1_RX_vect) {
    uint8_t byte = UDR1, put = received.put;
    if (!is_full(put, received.taken)) {
        received.bytes[put % RING_BYTES] = byte;
        received.put = (uint8_t)(put + 1u);
    }
}

/* A bit is sixteen counts, or eight at double speed, which the divider of 12 bits is too small for at the lowest rates
 * (datasheet, "Internal Clock Generation"). */
void uart_start(uint32_t baud) {
    uint8_t counts = BOARD_CRYSTAL_HZ / 8u / baud < 4096u ? 8u : 16u;
    UCSR1A = counts == 8u ? _BV(U2X1) : 0;
    UBRR1 = (uint16_t)((BOARD_CRYSTAL_HZ + counts / 2u * baud) / (counts * baud) - 1u);
    UCSR1C = _BV(UCSZ11) | _BV(UCSZ10);
    UCSR1B = _BV(TXEN1) | _BV(RXEN1) | _BV(RXCIE1);
}

static void interrupt_when_empty(void) {
    uint8_t held = SREG;
    cli();
    UCSR1B |= _BV(UDRIE1);
    SREG = held;
}

size_t uart_write(const uint8_t *bytes, size_t count) {
    size_t written = 0;
    for (uint8_t put = sent.put; written < count && !is_full(put, sent.taken); written++) {
        sent.bytes[put % RING_BYTES] = bytes[written];
        sent.put = ++put;
    }
    interrupt_when_empty();
    return written;
}

size_t uart_read(uint8_t *bytes, size_t capacity) {
    size_t count = 0;
    for (uint8_t taken = received.taken; count < capacity && taken != received.put; count++) {
        bytes[count] = received.bytes[taken % RING_BYTES];
        received.taken = ++taken;
    }
    return count;
}

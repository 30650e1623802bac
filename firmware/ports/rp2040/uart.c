/* UART1 on GP4 and GP5, by interrupts: a ring each way. What comes in and finds no room is lost. */
#include "uart.h"

#include "interrupt.h"
#include "resets.h"
#include "uart_line.h"

#define RING_BYTES 2048u /* a power of two */

struct ring {
    volatile uint32_t put, got;
    uint8_t bytes[RING_BYTES];
};

static struct ring sent, received;

static uint32_t ring_count(const struct ring *ring) { return ring->put - ring->got; }

/* Interrupts at 1/8 of both FIFOs (4.2.8). */
void uart_start(uint32_t baud) {
    resets_release(RESET_UART1);
    UART_IFLS(UART1_BASE) = 0;
    UART_IMSC(UART1_BASE) = UART_INTERRUPT_RX | UART_INTERRUPT_RX_TIMEOUT;
    uart_line_start(UART1_BASE, baud, 4);
    NVIC_ISER = 1u << UART1_IRQ;
}

static void fill(void) {
    while (ring_count(&sent) && !(UART_FR(UART1_BASE) & UART_FR_TXFF)) {
        UART_DR(UART1_BASE) = sent.bytes[sent.got++ % RING_BYTES];
    }
    UART_IMSC(UART1_BASE) = UART_INTERRUPT_RX | UART_INTERRUPT_RX_TIMEOUT | (ring_count(&sent) ? UART_INTERRUPT_TX : 0);
}

void uart1_irq_handler(void) {
    while (!(UART_FR(UART1_BASE) & UART_FR_RXFE)) {
        uint8_t byte = (uint8_t)UART_DR(UART1_BASE);
        if (ring_count(&received) < RING_BYTES) {
            received.bytes[received.put % RING_BYTES] = byte;
            received.put++;
        }
    }
    fill();
}

size_t uart_write(const uint8_t *bytes, size_t count) {
    size_t taken = 0;
    while (taken < count && ring_count(&sent) < RING_BYTES) {
        sent.bytes[sent.put % RING_BYTES] = bytes[taken++];
        sent.put++;
    }
    uint32_t held = interrupts_hold();
    fill();
    interrupts_release(held);
    return taken;
}

size_t uart_read(uint8_t *bytes, size_t capacity) {
    size_t count = 0;
    while (count < capacity && ring_count(&received)) {
        bytes[count++] = received.bytes[received.got % RING_BYTES];
        received.got++;
    }
    return count;
}

/* UART1 on GP4 and GP5, 8N1, by interrupts: a ring each way. */
#include "uart.h"

#include "clock.h"
#include "interrupt.h"
#include "pads.h"
#include "resets.h"

#define RING_BYTES 2048u /* a power of two */

struct ring {
    volatile uint32_t put, got;
    uint8_t bytes[RING_BYTES];
};

static struct ring sent, received;
static volatile uint32_t lost;

static uint32_t ring_count(const struct ring *ring) { return ring->put - ring->got; }

void uart_start(uint32_t baud) {
    resets_release(RESET_UART1);
    uint32_t divisor = (4u * clock_system_hz() + baud / 2u) / baud;
    UART1_IBRD = divisor / 64u;
    UART1_FBRD = divisor % 64u;
    UART1_LCR_H = 3u << 5 | 1u << 4;
    UART1_IFLS = 0; /* interrupts at 1/8 of both FIFOs (4.2.8) */
    UART1_IMSC = UART_INTERRUPT_RX | UART_INTERRUPT_RX_TIMEOUT;
    UART1_CR = 1u << 9 | 1u << 8 | 1u << 0;
    pad_function(4, FUNCTION_UART, 0);
    pad_function(5, FUNCTION_UART, PAD_PUE);
    NVIC_ISER = 1u << UART1_IRQ;
}

static void fill(void) {
    while (ring_count(&sent) && !(UART1_FR & UART_FR_TXFF)) {
        UART1_DR = sent.bytes[sent.got++ % RING_BYTES];
    }
    UART1_IMSC = UART_INTERRUPT_RX | UART_INTERRUPT_RX_TIMEOUT | (ring_count(&sent) ? UART_INTERRUPT_TX : 0);
}

void uart1_irq_handler(void) {
    while (!(UART1_FR & UART_FR_RXFE)) {
        uint8_t byte = (uint8_t)UART1_DR;
        if (ring_count(&received) < RING_BYTES) {
            received.bytes[received.put % RING_BYTES] = byte;
            received.put++;
        } else {
            lost++;
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

uint32_t uart_lost(void) { return lost; }

/* RMII by PIO0, at 100 MHz so that a di-bit is two of its cycles. Machine 0 has RXD and CRS_DV, machine 1 TXD and
 * TX_EN, and DMA carries bytes into a ring and words out of another. clk_sys is a multiple of 50 MHz, of which a clock
 * output makes the PHY's reference clock. */
#include "rmii.h"

#include "board.h"
#include "clock.h"
#include "pads.h"
#include "resets.h"
#include "rmii_crc.h"

#define RECEIVE 0u
#define TRANSMIT 1u
#define MACHINE_HZ 100000000u
#define REFERENCE_HZ 50000000u
#define FRAME_ENDED (1u << 0) /* a flag of PIO, which interrupts */

#define VECTORS (16u + 32u)
#define VECTORS_ALIGNED 256u

#define FROM_FIFO 0u /* channels of DMA */
#define GO_ON 1u
#define TO_FIFO 2u
#define COPY 3u
/* Some minutes of bytes, and a multiple of the ring's size: then the other channel has them go on. */
static const uint32_t many_bytes = 1u << 30;

/* What the levels are is seen where a di-bit has stood for half its time: after the second bit of the preamble's last
 * one has risen, a whole period on. */
static const uint16_t receive_program[] = {
    0xc000, /* 0: irq 0                the frame has ended */
    0xa0c3, /* 1: mov isr, null        bits that are no byte */
    0x20a2, /*    wait 1 pin 2         CRS_DV */
    0x21a1, /*    wait 1 pin 1 [1]     RXD1 */
    0x4002, /* 4: in pins, 2 */
    0x00c4, /*    jmp pin 4            CRS_DV */
};
#define RECEIVE_FROM 0u
#define RECEIVE_BEGIN 1u
#define RECEIVE_WORDS (sizeof receive_program / sizeof receive_program[0])

/* A frame is a word with its di-bits, less one, and then its bytes. Bits of a last word that are no bytes are left out.
 */
#define ENABLE 0x1000u
#define DELAY(cycles) ((cycles) << 8)
#define NOP 0xa042u
#define TRANSMIT_FROM RECEIVE_WORDS
#define BIT_LOOP (TRANSMIT_FROM + 9u)
#define GAP_LOOP (TRANSMIT_FROM + 13u)
static const uint16_t transmit_program[] = {
    0x80a0,                        /* pull block */
    0x6020,                        /* out x, 32 */
    0x2020,                        /* wait 0 pin 0         REF_CLK */
    0x20a0,                        /* wait 1 pin 0 */
    0xe001 | ENABLE | DELAY(15),   /* set pins, 1          31 di-bits of 01 */
    NOP | ENABLE | DELAY(15),      /* nop */
    NOP | ENABLE | DELAY(15),      /* nop */
    NOP | ENABLE | DELAY(13),      /* nop */
    0xe003 | ENABLE | DELAY(1),    /* set pins, 3          and one of 11 */
    0x6002 | ENABLE,               /* out pins, 2 */
    0x0040 | BIT_LOOP | ENABLE,    /* jmp x-- */
    0xe000 | DELAY(15),            /* set pins, 0          96 cycles of gap and more */
    0xe044,                        /* set y, 4 */
    0x0080 | GAP_LOOP | DELAY(15), /* jmp y-- */
};
#define TRANSMIT_WORDS (sizeof transmit_program / sizeof transmit_program[0])
#define EDGE_SEEN (TRANSMIT_FROM + 3u)

static uint8_t received[RMII_RING_BYTES] __attribute__((aligned(RMII_RING_BYTES)));
static uint8_t sent[RMII_RING_BYTES] __attribute__((aligned(RMII_RING_BYTES)));
static void (*on_frame_ended)(uint32_t place);
static void (*on_frame_left)(void);

static void start_reference_clock(void) {
    _Static_assert(BOARD_NETWORK_REF_CLK == 21, "GPOUT0 is at GPIO 21");
    CLK_GPOUT0_CTRL = 0;
    CLK_GPOUT0_DIV = clock_system_hz() / REFERENCE_HZ << 8;
    CLK_GPOUT0_CTRL = CLK_GPOUT_CTRL_ENABLE | CLK_GPOUT_CTRL_DC50 | CLK_GPOUT_CTRL_CLK_SYS;
    pad_function(BOARD_NETWORK_REF_CLK, FUNCTION_CLOCK, 0);
}

static void load(uint32_t from, const uint16_t *program, size_t words) {
    for (size_t index = 0; index < words; index++) {
        PIO_INSTR_MEM(PIO0_BASE, from + index) = program[index];
    }
}

/* TXD and TX_EN change so long after a rising edge of REF_CLK that they stand when the next one comes: the edge is seen
 * some cycles of clk_sys late, which at some clocks are a cycle of the machine too few. */
static uint16_t edge_seen(void) {
    uint16_t wait = transmit_program[EDGE_SEEN - TRANSMIT_FROM];
    return clock_system_hz() == 150000000u ? wait | DELAY(1) : wait;
}

static void start_machines(void) {
    uint32_t both = 1u << RECEIVE | 1u << TRANSMIT;
    uint32_t divider = (uint32_t)((uint64_t)clock_system_hz() * 256u / MACHINE_HZ) << 8;
    PIO_CTRL(PIO0_BASE) = PIO_CTRL_RESTART_ALL(both);
    load(RECEIVE_FROM, receive_program, RECEIVE_WORDS);
    load(TRANSMIT_FROM, transmit_program, TRANSMIT_WORDS);
    PIO_INSTR_MEM(PIO0_BASE, EDGE_SEEN) = edge_seen();

    PIO_SM_CLKDIV(PIO0_BASE, RECEIVE) = divider;
    PIO_SM_EXECCTRL(PIO0_BASE, RECEIVE) =
        PIO_SM_EXECCTRL_WRAP(RECEIVE_WORDS - 1u, RECEIVE_FROM) | PIO_SM_EXECCTRL_JMP_PIN(BOARD_NETWORK_RXD0 + 2u);
    PIO_SM_SHIFTCTRL(PIO0_BASE, RECEIVE) =
        PIO_SM_SHIFTCTRL_JOIN_RX | PIO_SM_SHIFTCTRL_IN_RIGHT | PIO_SM_SHIFTCTRL_AUTOPUSH | PIO_SM_SHIFTCTRL_PUSH_AT(8);
    PIO_SM_PINCTRL(PIO0_BASE, RECEIVE) = PIO_SM_PINCTRL_IN(BOARD_NETWORK_RXD0);
    PIO_SM_INSTR(PIO0_BASE, RECEIVE) = RECEIVE_BEGIN; /* jmp */

    PIO_SM_CLKDIV(PIO0_BASE, TRANSMIT) = divider;
    PIO_SM_EXECCTRL(PIO0_BASE, TRANSMIT) = PIO_SM_EXECCTRL_WRAP(TRANSMIT_FROM + TRANSMIT_WORDS - 1u, TRANSMIT_FROM);
    PIO_SM_SHIFTCTRL(PIO0_BASE, TRANSMIT) = PIO_SM_SHIFTCTRL_JOIN_TX | PIO_SM_SHIFTCTRL_OUT_RIGHT |
                                            PIO_SM_SHIFTCTRL_AUTOPULL | PIO_SM_SHIFTCTRL_PULL_AT(32);
    PIO_SM_PINCTRL(PIO0_BASE, TRANSMIT) = PIO_SM_PINCTRL_SET(BOARD_NETWORK_TXD0, 3);
    PIO_SM_INSTR(PIO0_BASE, TRANSMIT) = 0xe000; /* set pins, 0 */
    PIO_SM_INSTR(PIO0_BASE, TRANSMIT) = 0xe087; /* set pindirs, 7 */
    PIO_SM_PINCTRL(PIO0_BASE, TRANSMIT) =
        PIO_SM_PINCTRL_SET(BOARD_NETWORK_TXD0, 2) | PIO_SM_PINCTRL_OUT(BOARD_NETWORK_TXD0, 2) |
        PIO_SM_PINCTRL_SIDE(BOARD_NETWORK_TXD0 + 2u, 1) | PIO_SM_PINCTRL_IN(BOARD_NETWORK_REF_CLK);
    PIO_SM_INSTR(PIO0_BASE, TRANSMIT) = TRANSMIT_FROM; /* jmp */
}

static void start_pins(void) {
    for (unsigned pin = 0; pin < 3; pin++) {
        pad_function(BOARD_NETWORK_RXD0 + pin, FUNCTION_PIO0, 0);
        pad_function(BOARD_NETWORK_TXD0 + pin, FUNCTION_PIO0, 0);
    }
}

/* The machine's byte is the highest one of its word. */
static void start_receiving(void) {
    DMA_READ_ADDR(GO_ON) = (uint32_t)(uintptr_t)&many_bytes;
    DMA_WRITE_ADDR(GO_ON) = (uint32_t)(uintptr_t)&DMA_AL1_TRANS_COUNT_TRIG(FROM_FIFO);
    DMA_TRANS_COUNT(GO_ON) = 1;
    DMA_AL1_CTRL(GO_ON) = DMA_CTRL_EN | DMA_CTRL_SIZE(2) | DMA_CTRL_CHAIN_TO(GO_ON) | DMA_CTRL_TREQ(TREQ_PERMANENT);
    DMA_READ_ADDR(FROM_FIFO) = (uint32_t)(uintptr_t)&PIO_RXF(PIO0_BASE, RECEIVE) + 3u;
    DMA_WRITE_ADDR(FROM_FIFO) = (uint32_t)(uintptr_t)received;
    DMA_TRANS_COUNT(FROM_FIFO) = many_bytes;
    DMA_CTRL_TRIG(FROM_FIFO) = DMA_CTRL_EN | DMA_CTRL_HIGH_PRIORITY | DMA_CTRL_SIZE(0) | DMA_CTRL_INCR_WRITE |
                               DMA_CTRL_RING_WRITE(RMII_RING_BITS) | DMA_CTRL_CHAIN_TO(GO_ON) |
                               DMA_CTRL_TREQ(DREQ_PIO0_RX(RECEIVE));
}

/* The vectors in SRAM: where a frame ended is to be noted before the next one's first byte, 1.7 us on, and a fetch from
 * the flash may take as long. */
static void move_vectors(void) {
    static uint32_t moved[VECTORS] __attribute__((aligned(VECTORS_ALIGNED)));
    const uint32_t *vectors = (const uint32_t *)(uintptr_t)SCB_VTOR;
    for (unsigned n = 0; n < VECTORS; n++) {
        moved[n] = vectors[n];
    }
    SCB_VTOR = (uint32_t)(uintptr_t)moved;
}

void rmii_start(void (*frame_ended)(uint32_t place), void (*frame_left)(void)) {
    on_frame_ended = frame_ended;
    on_frame_left = frame_left;
    RESETS_RESET_SET = RESET_PIO0 | RESET_DMA;
    resets_release(RESET_PIO0 | RESET_DMA);
    move_vectors();
    start_reference_clock();
    start_pins();
    start_machines();
    start_receiving();
    rmii_crc_start(COPY);
    PIO0_IRQ0_INTE = FRAME_ENDED << 8;
    DMA_INTE0 = 1u << TO_FIFO;
    NVIC_ISER = 1u << PIO0_IRQ_0 | 1u << DMA_IRQ_0;
    PIO_CTRL(PIO0_BASE) = PIO_CTRL_ENABLE(1u << RECEIVE | 1u << TRANSMIT);
}

/* The last byte was in the ring before the machine had its next instruction done. */
void RMII_FAST pio0_irq_0_handler(void) {
    PIO0_IRQ = FRAME_ENDED;
    on_frame_ended(DMA_WRITE_ADDR(FROM_FIFO) & RMII_RING_MASK);
}

void RMII_FAST dma_irq_0_handler(void) {
    DMA_INTS0 = 1u << TO_FIFO;
    on_frame_left();
}

void RMII_FAST rmii_send(uint32_t place, size_t bytes) {
    *(uint32_t *)(void *)&sent[place] = (uint32_t)(4u * bytes - 1u);
    __asm__ volatile("" ::: "memory");
    DMA_READ_ADDR(TO_FIFO) = (uint32_t)(uintptr_t)&sent[place];
    DMA_WRITE_ADDR(TO_FIFO) = (uint32_t)(uintptr_t)&PIO_TXF(PIO0_BASE, TRANSMIT);
    DMA_TRANS_COUNT(TO_FIFO) = 1u + (bytes + 3u) / 4u;
    DMA_CTRL_TRIG(TO_FIFO) = DMA_CTRL_EN | DMA_CTRL_HIGH_PRIORITY | DMA_CTRL_SIZE(2) | DMA_CTRL_INCR_READ |
                             DMA_CTRL_RING_READ(RMII_RING_BITS) | DMA_CTRL_CHAIN_TO(TO_FIFO) |
                             DMA_CTRL_TREQ(DREQ_PIO0_TX(TRANSMIT));
}

uint8_t RMII_FAST rmii_peek(uint32_t place) { return ((volatile uint8_t *)received)[place]; }

void RMII_FAST rmii_put_byte(uint32_t place, uint8_t byte) { sent[place] = byte; }

void RMII_FAST rmii_take(uint8_t *to, uint32_t place, size_t count) { rmii_crc_take(to, received, place, count); }

void RMII_FAST rmii_put(uint32_t place, const uint8_t *from, size_t count) { rmii_crc_put(sent, place, from, count); }

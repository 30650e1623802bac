/* A MAC of PIO at 10 Mbit/s that runs by the clock of its PHY: 50 MHz at GPIN0 (GP20). It reads the PHY's identifier
 * twice, looks for a link, asks the PC for its MAC address by ARP, and prints what it found. */
#include "pio_program.h"

#define RXD0 6u
#define RXD1 7u
#define CRS_DV 8u
#define TXD0 10u
#define TX_EN 12u
#define MDIO 14u
#define MDC 15u
#define REFERENCE 20u

#define BOTH_SHIFT_RIGHT (3u << 18)
#define FIFO_OF_8_TO_SEND (1u << 30)
#define PIO_JMP_NOT_OSRE(target) (7u << 5 | (target))
#define SENDER 8u
#define FRAME_BYTES 64u

#define FC0(offset) REGISTER(CLOCKS_BASE + 0x80 + (offset))
#define FC0_DONE (1u << 4)

#ifdef FORCED
#define CONTROL 0x0100u /* 10 Mbit/s, full duplex */
#else
#define CONTROL 0x1200u /* negotiates anew */
#endif

/* A di-bit is ten cycles of 50 MHz: the receiver has one instruction for it, the sender two. */
static const uint16_t receiver[] = {
    PIO_WAIT_GPIO(0, CRS_DV),
    PIO_WAIT_GPIO(1, CRS_DV),
    PIO_WAIT_GPIO(1, RXD1), /* the last di-bit of the preamble */
    PIO_IN_PINS(2),
};
static const uint16_t sender[] = {
    PIO_PULL_BLOCK | PIO_SIDE1(0),
    PIO_OUT_PINS(2) | PIO_SIDE1(1),
    PIO_JMP_NOT_OSRE(SENDER + 1) | PIO_SIDE1(1),
};

static const uint8_t own[6] = {0x02, 0, 0, 0, 0, 0xaa};
static union {
    uint8_t bytes[8 + FRAME_BYTES];
    uint32_t words[(8 + FRAME_BYTES) / 4];
} sent;
static uint8_t received[FRAME_BYTES];

static void wait_us(uint32_t us) {
    for (uint32_t from = time_us(); time_us() - from < us;) {
    }
}

static void clock_by_phy(void) {
    pin_function(REFERENCE, FUNCTION_CLOCK);
    CLK_SYS_CTRL = 0;
    while (!(CLK_SYS_SELECTED & 1u)) {
    }
    CLK_SYS_CTRL = 4u << 5; /* GPIN0 */
    CLK_SYS_CTRL = 4u << 5 | 1u;
    while (!(CLK_SYS_SELECTED & 2u)) {
    }
    /* 115200 baud of 50 MHz. */
    UART_IBRD(UART0_BASE) = 27;
    UART_FBRD(UART0_BASE) = 8;
    UART_LCR_H(UART0_BASE) = 3u << 5 | 1u << 4;
}

static uint32_t gpin0_khz(void) {
    FC0(0x00) = 12000;
    FC0(0x10) = 10;
    FC0(0x14) = 6;
    while (!(FC0(0x18) & FC0_DONE)) {
    }
    return FC0(0x1c) >> 5;
}

static void mdc_cycle(void) {
    SIO_GPIO_OUT_CLR = 1u << MDC;
    wait_us(2);
    SIO_GPIO_OUT_SET = 1u << MDC;
    wait_us(2);
}

static void mdio_send(uint32_t bits, uint32_t count) {
    SIO_GPIO_OE_SET = 1u << MDIO;
    while (count--) {
        if (bits >> count & 1u) {
            SIO_GPIO_OUT_SET = 1u << MDIO;
        } else {
            SIO_GPIO_OUT_CLR = 1u << MDIO;
        }
        mdc_cycle();
    }
}

/* A bit is read long after the edge that gives it, or just behind the next one, while it is still there. */
static uint32_t mdio_read(uint32_t reg, uint32_t early) {
    mdio_send(0xffffffffu, 32);
    mdio_send(0x6u << 10 | 1u << 5 | reg, 14);
    SIO_GPIO_OE_CLR = 1u << MDIO;
    mdc_cycle();
    if (early) {
        mdc_cycle();
    }
    uint32_t value = 0;
    for (uint32_t bit = 0; bit < 16; bit++) {
        SIO_GPIO_OUT_CLR = 1u << MDC;
        wait_us(2);
        SIO_GPIO_OUT_SET = 1u << MDC;
        uint32_t at_once = SIO_GPIO_IN;
        wait_us(2);
        value = value << 1 | ((early ? at_once : SIO_GPIO_IN) >> MDIO & 1u);
    }
    if (!early) {
        mdc_cycle();
    }
    return value;
}

static void mdio_write(uint32_t reg, uint32_t value) {
    mdio_send(0xffffffffu, 32);
    mdio_send(0x5u << 12 | 1u << 7 | reg << 2 | 2u, 16);
    mdio_send(value, 16);
    SIO_GPIO_OE_CLR = 1u << MDIO;
}

static uint32_t check_sequence(const uint8_t *bytes, uint32_t count) {
    uint32_t crc = 0xffffffffu;
    for (uint32_t index = 0; index < count; index++) {
        crc ^= bytes[index];
        for (uint32_t bit = 0; bit < 8; bit++) {
            crc = crc & 1u ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        }
    }
    return ~crc;
}

/* Who has 192.168.1.1? Tell 192.168.1.50. */
static void make_request(void) {
    static const uint8_t arp[] = {8, 6, 0, 1, 8, 0, 6, 4, 0, 1};
    uint8_t *frame = sent.bytes + 8;
    for (uint32_t index = 0; index < 8; index++) {
        sent.bytes[index] = index < 7 ? 0x55 : 0xd5;
    }
    for (uint32_t index = 0; index < 6; index++) {
        frame[index] = 0xff;
        frame[6 + index] = frame[22 + index] = own[index];
    }
    for (uint32_t index = 0; index < sizeof arp; index++) {
        frame[12 + index] = arp[index];
    }
    frame[28] = frame[38] = 192;
    frame[29] = frame[39] = 168;
    frame[30] = frame[40] = 1;
    frame[31] = 50;
    frame[41] = 1;
    uint32_t crc = check_sequence(frame, FRAME_BYTES - 4);
    for (uint32_t index = 0; index < 4; index++) {
        frame[FRAME_BYTES - 4 + index] = (uint8_t)(crc >> 8 * index);
    }
}

static void start_pio(void) {
    reset_release(RESET_PIO0);
    pio_load(0, receiver, 4);
    pio_load(SENDER, sender, 3);
    for (uint32_t pin = TXD0; pin <= TX_EN; pin++) {
        pio_output(1, pin);
    }
    pio_prepare(0, 10 * 256, 3, 3, PINCTRL_IN(RXD0), SHIFTCTRL_AUTOPUSH(8) | BOTH_SHIFT_RIGHT);
    PIO0_SM_INSTR(0) = 0; /* jmp 0: only the last instruction is repeated */
    pio_prepare(1, 5 * 256, SENDER, SENDER + 2, PINCTRL_OUT(TXD0, 2) | PINCTRL_SIDE(TX_EN, 1),
                BOTH_SHIFT_RIGHT | 1u << 17 | FIFO_OF_8_TO_SEND);
    PIO0_CTRL = PIO_CTRL_RESTART(3);
    PIO0_CTRL = 3;
}

IN_RAM static void exchange(void) {
    for (uint32_t index = 0; index < sizeof sent.words / 4; index++) {
        while (PIO_FSTAT(PIO0_BASE) & PIO_FSTAT_TXFULL(1)) {
        }
        PIO0_TXF(1) = sent.words[index];
    }
    for (uint32_t index = 0; index < FRAME_BYTES; index++) {
        while (PIO0_FSTAT & PIO_FSTAT_RXEMPTY(0)) {
        }
        received[index] = (uint8_t)(PIO0_RXF(0) >> 24);
    }
}

int main(void) {
    console_start();
    put_named("kHz at GPIN0 without its function", gpin0_khz());
    clock_by_phy();
    put_named("kHz at GPIN0", gpin0_khz());
    pin_output(MDC);
    pin_function(MDIO, FUNCTION_SIO);
    mdio_write(4, 0x0061);
    mdio_write(0, CONTROL);
    put_named_hex("identifier", mdio_read(2, 0) << 16 | mdio_read(3, 0));
    put_named_hex("and read early", mdio_read(2, 1) << 16 | mdio_read(3, 1));
    while (!(mdio_read(1, 0) & 4u)) {
        wait_us(1000);
    }
    put_named_hex("partner", mdio_read(5, 0));
    put_named_hex("link", mdio_read(31, 0));
    make_request();
    start_pio();
    exchange();
    put_named("answer", received[12] == 8 && received[13] == 6 && received[21] == 2);
    put_text("from ");
    for (uint32_t index = 0; index < 6; index++) {
        put_hex(received[22 + index], 2);
    }
    put_text("\n");
    uint32_t rest = check_sequence(received, FRAME_BYTES - 4);
    uint32_t sequence = 0;
    for (uint32_t index = 0; index < 4; index++) {
        sequence |= (uint32_t)received[FRAME_BYTES - 4 + index] << 8 * index;
    }
    put_named("check sequence is right", rest == sequence);
    finish();
}

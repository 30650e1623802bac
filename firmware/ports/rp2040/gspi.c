/* gSPI: state machine 0 of PIO0 has clock and data, the processor or two channels of DMA its FIFOs.
 *
 * Of a transaction the machine first gets how many bits go out, less one, and how many come in; it needs nobody until
 * the last bit, and its clock stands still where a FIFO makes it wait. A bit is two of its cycles. It goes on to the
 * first bit of the other direction after two cycles with the clock low, in which nobody drives the line. */
#include "gspi.h"

#include "board.h"
#include "clock.h"
#include "gpio.h"
#include "pads.h"
#include "resets.h"

#define MACHINE 0u
#define CLOCK_HIGH 0x1000u
/* PIO (3.4): the clock is the one pin of the side-set. */
static const uint16_t program[] = {
    0x6020,              /* 0: out x, 32          bits that go out, less one */
    0x6040,              /*    out y, 32          bits that come in */
    0xe081,              /*    set pindirs, 1 */
    0x6001,              /* 3: out pins, 1 */
    0x0043 | CLOCK_HIGH, /*    jmp x-- 3 */
    0xe080,              /*    set pindirs, 0 */
    0x0087,              /*    jmp y-- 7          else to the begin: the end of the program's wrap */
    0x4001 | CLOCK_HIGH, /* 7: in pins, 1         the chip's first bit; each rise brings the next one */
    0x0087,              /*    jmp y-- 7 */
    0x0000,              /*    jmp 0 */
};
#define PROGRAM_WORDS (sizeof program / sizeof program[0])
#define WRAP_FROM 6u
#define CYCLES_PER_BIT 2u
#define SET_PINS 0xe000u
#define SET_PINDIRS 0xe080u

/* A shorter transfer is over before another task has run. */
#define WAIT_WORTHWHILE_WORDS 64u
#define TRANSMIT 0u
#define RECEIVE 1u

static uint32_t waste;
static size_t dma_from_words;
static const struct spi_waiter *waiter;
static void (*call)(void);
static volatile bool is_armed;

static void execute(uint32_t instruction) { PIO_SM_INSTR(PIO0_BASE, MACHINE) = instruction; }

static void set_level(bool is_high) {
    execute(SET_PINS | is_high);
    execute(SET_PINDIRS | 1u);
}

static void set_pins_up(void) {
    gpio_output(BOARD_NETWORK_POWER, false);
    gpio_output(BOARD_NETWORK_CSN, true);
    PIO_SM_PINCTRL(PIO0_BASE, MACHINE) = PIO_SM_PINCTRL_SET(BOARD_NETWORK_SCLK, 1);
    set_level(false);
    PIO_SM_PINCTRL(PIO0_BASE, MACHINE) =
        PIO_SM_PINCTRL_SET(BOARD_NETWORK_DATA, 1) | PIO_SM_PINCTRL_OUT(BOARD_NETWORK_DATA, 1) |
        PIO_SM_PINCTRL_IN(BOARD_NETWORK_DATA) | PIO_SM_PINCTRL_SIDE(BOARD_NETWORK_SCLK, 1);
    set_level(false);
    /* Without it the chip's bits would be seen two cycles late (3.5.6.3). */
    PIO_INPUT_SYNC_BYPASS(PIO0_BASE) = 1u << BOARD_NETWORK_DATA;
    pad_function(BOARD_NETWORK_DATA, FUNCTION_PIO0, 0);
    pad_function(BOARD_NETWORK_SCLK, FUNCTION_PIO0, 0);
}

uint32_t gspi_start(uint32_t hz) {
    uint32_t cycles_hz = CYCLES_PER_BIT * (hz ? hz : 1u), divider = (clock_system_hz() + cycles_hz - 1) / cycles_hz;
    divider = divider < 1 ? 1 : divider > 65535 ? 65535 : divider;
    resets_release(RESET_PIO0 | RESET_DMA);
    PIO_CTRL(PIO0_BASE) = PIO_CTRL_RESTART_ALL(1u << MACHINE);
    for (unsigned index = 0; index < PROGRAM_WORDS; index++) {
        PIO_INSTR_MEM(PIO0_BASE, index) = program[index];
    }
    PIO_SM_CLKDIV(PIO0_BASE, MACHINE) = divider << 16;
    PIO_SM_EXECCTRL(PIO0_BASE, MACHINE) = PIO_SM_EXECCTRL_WRAP(WRAP_FROM, 0);
    PIO_SM_SHIFTCTRL(PIO0_BASE, MACHINE) = PIO_SM_SHIFTCTRL_AUTOPULL | PIO_SM_SHIFTCTRL_AUTOPUSH;
    set_pins_up();
    execute(0); /* jmp 0 */
    PIO_CTRL(PIO0_BASE) = PIO_CTRL_ENABLE(1u << MACHINE);
    return clock_system_hz() / (CYCLES_PER_BIT * divider);
}

/* Without power the chip shall not get any through the line of data; as it comes, low on that line means gSPI. */
void gspi_power(bool is_on) {
    set_level(false);
    gpio_put(BOARD_NETWORK_POWER, is_on);
}

void gspi_set_dma_from(size_t bytes) { dma_from_words = (bytes + 3u) / 4u; }

void gspi_set_waiter(const struct spi_waiter *wanted) {
    waiter = wanted;
    DMA_INTE0 = wanted ? 1u << TRANSMIT | 1u << RECEIVE : 0;
    NVIC_ISER = 1u << DMA_IRQ_0;
}

void dma_irq_0_handler(void) {
    DMA_INTS0 = 1u << TRANSMIT | 1u << RECEIVE;
    if (waiter) {
        waiter->done();
    }
}

/* During a transaction the line is no interrupt. */
static void listen(bool is_on) {
    uint32_t level = (uint32_t)GPIO_HIGH << 4u * (BOARD_NETWORK_DATA % 8u);
    if (is_on) {
        IO_BANK0_PROC0_INTE_SET(BOARD_NETWORK_DATA) = level;
    } else {
        IO_BANK0_PROC0_INTE_CLEAR(BOARD_NETWORK_DATA) = level;
    }
}

static uint32_t turned(uint32_t word) { return __builtin_bswap32(word); }

/* The FIFO is empty at the begin, and has room for what is written here. */
void gspi_begin(uint32_t command, size_t out_words, size_t in_words) {
    listen(false);
    SIO_GPIO_OUT_CLR = 1u << BOARD_NETWORK_CSN;
    PIO_TXF(PIO0_BASE, MACHINE) = 32u * (1u + out_words) - 1u;
    PIO_TXF(PIO0_BASE, MACHINE) = 32u * in_words;
    PIO_TXF(PIO0_BASE, MACHINE) = turned(command);
}

static void run_dma(uint32_t channel, const volatile void *from, volatile void *to, size_t count, uint32_t control) {
    DMA_READ_ADDR(channel) = (uint32_t)(uintptr_t)from;
    DMA_WRITE_ADDR(channel) = (uint32_t)(uintptr_t)to;
    DMA_TRANS_COUNT(channel) = count;
    __asm__ volatile("" ::: "memory");
    bool waits = waiter && count >= WAIT_WORTHWHILE_WORDS;
    DMA_CTRL_TRIG(channel) = DMA_CTRL_EN | DMA_CTRL_SIZE(2) | DMA_CTRL_BSWAP | DMA_CTRL_CHAIN_TO(channel) |
                             (waits ? 0 : DMA_CTRL_IRQ_QUIET) | control;
    while (DMA_AL1_CTRL(channel) & DMA_CTRL_BUSY) {
        if (waits) {
            waiter->wait();
        }
    }
    __asm__ volatile("" ::: "memory");
}

static bool goes_by_dma(size_t count) { return dma_from_words && count >= dma_from_words; }

/* The loops here end, as the machine clocks out and in whatever it was told, whoever is at the other end. */
void gspi_put(const void *words, size_t count) {
    if (goes_by_dma(count)) {
        run_dma(TRANSMIT, words, &PIO_TXF(PIO0_BASE, MACHINE), count,
                DMA_CTRL_INCR_READ | DMA_CTRL_TREQ(DREQ_PIO0_TX(MACHINE)));
        return;
    }
    for (const uint32_t *word = words; count; count--) {
        while (PIO_FSTAT(PIO0_BASE) & PIO_FSTAT_TXFULL(MACHINE)) {
        }
        PIO_TXF(PIO0_BASE, MACHINE) = turned(*word++);
    }
}

void gspi_get(void *words, size_t count) {
    if (goes_by_dma(count)) {
        run_dma(RECEIVE, &PIO_RXF(PIO0_BASE, MACHINE), words ? words : &waste, count,
                (words ? DMA_CTRL_INCR_WRITE : 0) | DMA_CTRL_TREQ(DREQ_PIO0_RX(MACHINE)));
        return;
    }
    for (uint32_t *word = words; count; count--) {
        while (PIO_FSTAT(PIO0_BASE) & PIO_FSTAT_RXEMPTY(MACHINE)) {
        }
        uint32_t taken = turned(PIO_RXF(PIO0_BASE, MACHINE));
        if (word) {
            *word++ = taken;
        }
    }
}

/* The machine has all words, so that it can only wait for another at its first instruction: the flag rises there. */
void gspi_end(void) {
    PIO_FDEBUG(PIO0_BASE) = PIO_FDEBUG_TXSTALL(1u << MACHINE);
    while (!(PIO_FDEBUG(PIO0_BASE) & PIO_FDEBUG_TXSTALL(1u << MACHINE))) {
    }
    SIO_GPIO_OUT_SET = 1u << BOARD_NETWORK_CSN;
    if (is_armed) {
        listen(true);
    }
}

static void line_is_high(void) {
    is_armed = false;
    listen(false);
    call();
}

bool gspi_on_call(void (*handler)(void)) {
    call = handler;
    is_armed = true;
    return gpio_on(BOARD_NETWORK_DATA, GPIO_HIGH, line_is_high);
}

/* A transaction that is under way listens at its end. */
void gspi_watch(void) {
    is_armed = true;
    if (gpio_get(BOARD_NETWORK_CSN)) {
        listen(true);
    }
}

bool gspi_is_calling(void) { return gpio_get(BOARD_NETWORK_CSN) && gpio_get(BOARD_NETWORK_DATA); }

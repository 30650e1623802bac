/* PIO0 shifts a pin into a word in each cycle, a state machine for each channel, and DMA carries words into a ring. Two
 * channels of DMA take turns, as one of them ends some time. All machines start in one cycle, so that sample n of one
 * is sample n of all. */
#include "sampler.h"

#include "registers.h"
#include "resets.h"

#define RING_BITS 15u /* of the address: 32 KiB */
_Static_assert(SAMPLER_RING_WORDS * 4u == 1u << RING_BITS, "the ring of DMA is the ring of words");

/* What a channel of DMA carries before the other has its turn: whole rings, so that both write where the other would.
 */
#define TURN_WORDS (32u * SAMPLER_RING_WORDS)
#define IN_PINS_1 0x4001u

static uint32_t rings[SAMPLER_CHANNELS][SAMPLER_RING_WORDS] __attribute__((aligned(1u << RING_BITS)));

static struct {
    unsigned count;
    struct {
        uint32_t before; /* words of the turns that are over */
        unsigned turn;
    } progress[SAMPLER_CHANNELS];
} sampler;

static unsigned dma_of(unsigned channel, unsigned turn) { return 2u * channel + turn; }

static void start_machine(unsigned channel, uint8_t pin) {
    PIO_SM_CLKDIV(PIO0_BASE, channel) = 1u << 16;
    PIO_SM_EXECCTRL(PIO0_BASE, channel) = PIO_SM_EXECCTRL_WRAP(0, 0);
    PIO_SM_SHIFTCTRL(PIO0_BASE, channel) =
        PIO_SM_SHIFTCTRL_JOIN_RX | PIO_SM_SHIFTCTRL_PUSH_AT(32) | PIO_SM_SHIFTCTRL_IN_RIGHT | PIO_SM_SHIFTCTRL_AUTOPUSH;
    PIO_SM_PINCTRL(PIO0_BASE, channel) = PIO_SM_PINCTRL_IN(pin);
    PIO_SM_INSTR(PIO0_BASE, channel) = 0; /* jmp 0 */
}

static void start_dma(unsigned channel, unsigned turn) {
    unsigned dma = dma_of(channel, turn);
    DMA_READ_ADDR(dma) = (uint32_t)(uintptr_t)&PIO_RXF(PIO0_BASE, channel);
    DMA_WRITE_ADDR(dma) = (uint32_t)(uintptr_t)rings[channel];
    DMA_TRANS_COUNT(dma) = TURN_WORDS;
    DMA_AL1_CTRL(dma) = DMA_CTRL_EN | DMA_CTRL_HIGH_PRIORITY | DMA_CTRL_SIZE(2) | DMA_CTRL_INCR_WRITE |
                        DMA_CTRL_RING_WRITE(RING_BITS) | DMA_CTRL_CHAIN_TO(dma_of(channel, !turn)) |
                        DMA_CTRL_TREQ(DREQ_PIO0_RX(channel));
}

void sampler_start(const uint8_t *pins, unsigned count) {
    sampler_stop();
    sampler.count = count < SAMPLER_CHANNELS ? count : SAMPLER_CHANNELS;
    resets_release(RESET_PIO0 | RESET_DMA);
    PIO_INSTR_MEM(PIO0_BASE, 0) = IN_PINS_1;
    uint32_t machines = (1u << sampler.count) - 1u, first = 0;
    PIO_CTRL(PIO0_BASE) = PIO_CTRL_RESTART_ALL(machines);
    for (unsigned channel = 0; channel < sampler.count; channel++) {
        sampler.progress[channel].before = 0;
        sampler.progress[channel].turn = 0;
        start_machine(channel, pins[channel]);
        start_dma(channel, 0);
        start_dma(channel, 1);
        first |= 1u << dma_of(channel, 0);
    }
    DMA_MULTI_CHAN_TRIGGER = first;
    PIO_FDEBUG(PIO0_BASE) = PIO_FDEBUG_RXSTALL(machines);
    PIO_CTRL(PIO0_BASE) = PIO_CTRL_ENABLE(machines);
}

/* Both blocks are reset, so that nothing of one run is left in the next. */
void sampler_stop(void) {
    RESETS_RESET_SET = RESET_PIO0 | RESET_DMA;
    sampler.count = 0;
}

static uint32_t words_of(unsigned channel) {
    unsigned dma = dma_of(channel, sampler.progress[channel].turn);
    if (!(DMA_AL1_CTRL(dma) & DMA_CTRL_BUSY)) {
        sampler.progress[channel].turn ^= 1u;
        sampler.progress[channel].before += TURN_WORDS;
        dma = dma_of(channel, sampler.progress[channel].turn);
        if (!(DMA_AL1_CTRL(dma) & DMA_CTRL_BUSY)) {
            return sampler.progress[channel].before; /* its turn is about to begin */
        }
    }
    return sampler.progress[channel].before + TURN_WORDS - DMA_TRANS_COUNT(dma);
}

uint32_t sampler_words(void) {
    uint32_t least = words_of(0);
    for (unsigned channel = 1; channel < sampler.count; channel++) {
        uint32_t words = words_of(channel);
        if ((int32_t)(words - least) < 0) {
            least = words;
        }
    }
    return least;
}

const uint32_t *sampler_ring(unsigned channel) { return rings[channel]; }

bool sampler_has_stalled(void) { return (PIO_FDEBUG(PIO0_BASE) & PIO_FDEBUG_RXSTALL(15)) != 0; }

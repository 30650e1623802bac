/* boot2 for the W25Q flash of the usual boards: fast read quad I/O (EBh) in continuous-read mode, SCK =
 * clk_sys / 2. After one read with the command, the flash expects addresses only: 20 SCK cycles for 32 bits
 * (RP2040 datasheet 4.10.13 for the fields, W25Q16JV datasheet 8.2 for the commands). */
#include "boot2_exit.h"
#include "registers.h"

#define READ_STATUS1 0x05u
#define READ_STATUS2 0x35u
#define WRITE_ENABLE 0x06u
#define WRITE_STATUS 0x01u
#define STATUS2_QUAD_ENABLE 2u
#define FAST_READ_QUAD_IO 0xebu
#define CONTINUOUS_READ 0xa0u

/* Hidden from the optimiser, so that one address in a register serves all accesses: 252 bytes are few. */
static inline volatile uint32_t *ssi(void) {
    volatile uint32_t *base = (volatile uint32_t *)(uintptr_t)SSI_BASE;
    __asm__("" : "+r"(base));
    return base;
}

enum { CTRLR0 = 0x00 / 4, CTRLR1 = 0x04 / 4, SSIENR = 0x08 / 4, BAUDR = 0x14 / 4, SR = 0x28 / 4, DR0 = 0x60 / 4 };
enum { RX_SAMPLE_DLY = 0xf0 / 4, SPI_CTRLR0 = 0xf4 / 4 };

static __attribute__((noinline)) void wait_until_sent(volatile uint32_t *base) {
    while ((base[SR] & (SSI_SR_TFE | SSI_SR_BUSY)) != SSI_SR_TFE) {
    }
}

/* Sends `count` bytes, lowest first, and gives back the byte received with the last one. */
static __attribute__((noinline)) uint32_t exchange(volatile uint32_t *base, uint32_t bytes, uint32_t count) {
    for (uint32_t index = count; index > 0; index--) {
        base[DR0] = bytes & 255;
        bytes >>= 8;
    }
    wait_until_sent(base);
    uint32_t last;
    do {
        last = base[DR0];
    } while (--count);
    return last;
}

static void configure_flash(void) {
    volatile uint32_t *base = ssi();
    PADS_QSPI_SCLK = 2u << 4 | 1u; /* 8 mA, fast slew: SCK at 62.5 MHz */
    base[SSIENR] = 0;
    base[BAUDR] = 2;
    base[RX_SAMPLE_DLY] = 1;
    base[CTRLR0] = 7u << 16; /* 8 bits a frame, send and receive */
    base[SSIENR] = 1;
    if (!(exchange(base, READ_STATUS2, 2) & STATUS2_QUAD_ENABLE)) {
        exchange(base, WRITE_ENABLE, 1);
        exchange(base, WRITE_STATUS | STATUS2_QUAD_ENABLE << 16, 3);
        while (exchange(base, READ_STATUS1, 2) & 1) {
        }
    }
    base[SSIENR] = 0;
    base[CTRLR0] = 2u << 21 | 31u << 16 | 3u << 8; /* quad, 32 bits a frame, send then read */
    base[CTRLR1] = 0;
    /* 8 bits of command on one line, 24 of address and 8 of mode on four, 4 wait cycles */
    base[SPI_CTRLR0] = 2u << 8 | 8u << 2 | 4u << 11 | 1u;
    base[SSIENR] = 1;
    base[DR0] = FAST_READ_QUAD_IO;
    base[DR0] = CONTINUOUS_READ;
    wait_until_sent(base);
    base[SSIENR] = 0;
    /* From here on no command: XIP_CMD holds the mode byte that follows each address */
    base[SPI_CTRLR0] = CONTINUOUS_READ << 24 | 8u << 2 | 4u << 11 | 2u;
    base[SSIENR] = 1;
}

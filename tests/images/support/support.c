/* Implementation of support.h: polled drivers, just enough for a console, pins and time. */
#include "support.h"

#include "clock_sources.h"

/* clk_peri / (16 * baud rate), in 1/64 (4.2.3.2.1); at 125 MHz 67 + 52/64. */
#define BAUD_DIVISOR_64THS ((4 * SYSTEM_HZ + 115200 / 2) / 115200)

void reset_release(uint32_t blocks) {
    RESETS_RESET_CLEAR = blocks;
    while ((RESETS_RESET_DONE & blocks) != blocks) {
    }
}

void clocks_start(void) {
    crystal_start();
    WATCHDOG_TICK = 1u << 9 | 12;
    reset_release(RESET_PLL_SYS | RESET_IO_BANK0 | RESET_PADS_BANK0 | RESET_TIMER);
    clk_sys_from_pll(SYSTEM_HZ / 1000000u, 6, 2);
}

void clocks_start_adc(void) {
    reset_release(RESET_PLL_USB);
    clk_adc_from_pll();
}

void pin_function(uint32_t pin, uint32_t function) {
    PADS_GPIO(pin) = PAD_IE | PAD_DRIVE_4MA | PAD_PDE | PAD_SCHMITT;
    GPIO_CTRL(pin) = function;
}

void pin_output(uint32_t pin) {
    SIO_GPIO_OUT_CLR = 1u << pin;
    SIO_GPIO_OE_SET = 1u << pin;
    pin_function(pin, FUNCTION_SIO);
}

void console_start(void) {
    clocks_start();
    reset_release(RESET_UART0);
    UART_IBRD(UART0_BASE) = BAUD_DIVISOR_64THS / 64;
    UART_FBRD(UART0_BASE) = BAUD_DIVISOR_64THS % 64;
    UART_LCR_H(UART0_BASE) = 3u << 5 | 1u << 4;
    UART_CR(UART0_BASE) = 1u << 9 | 1u << 8 | 1u << 0;
    pin_function(0, FUNCTION_UART);
    pin_function(1, FUNCTION_UART);
}

void put_char(char character) {
    while (UART_FR(UART0_BASE) & UART_FR_TXFF) {
    }
    UART_DR(UART0_BASE) = (uint8_t)character;
}

void put_text(const char *text) {
    while (*text) {
        put_char(*text++);
    }
}

void put_hex(uint32_t value, uint32_t digits) {
    while (digits--) {
        uint32_t digit = value >> (4 * digits) & 15;
        put_char((char)(digit < 10 ? '0' + digit : 'a' + digit - 10));
    }
}

void put_decimal(uint32_t value) {
    static const uint32_t powers[] = {1000000000, 100000000, 10000000, 1000000, 100000,
                                      10000,      1000,      100,      10,      1};
    int started = 0;
    for (uint32_t index = 0; index < 10; index++) {
        uint32_t digit = 0;
        for (; value >= powers[index]; value -= powers[index]) {
            digit++;
        }
        if (digit || started || index == 9) {
            put_char((char)('0' + digit));
            started = 1;
        }
    }
}

void put_signed(int32_t value) {
    if (value < 0) {
        put_char('-');
        put_decimal(-(uint32_t)value);
    } else {
        put_decimal((uint32_t)value);
    }
}

void put_named(const char *name, uint32_t value) {
    put_text(name);
    put_char(' ');
    put_decimal(value);
    put_char('\n');
}

void put_named_hex(const char *name, uint32_t value) {
    put_text(name);
    put_char(' ');
    put_hex(value, 8);
    put_char('\n');
}

void interrupt_enable(uint32_t number) { NVIC_ISER = 1u << number; }

void stopwatch_start(void) {
    SYST_CSR = 0;
    SYST_RVR = 0xffffff;
    SYST_CVR = 0;
    SYST_CSR = 1u << 2 | 1u << 0;
}

uint32_t stopwatch_cycles(void) { return (0xffffff - SYST_CVR) & 0xffffff; }

_Noreturn void finish(void) {
    SYST_CSR = 0;
    put_text("done\n");
    while (UART_FR(UART0_BASE) & UART_FR_BUSY) {
    }
    for (;;) {
        wait_for_interrupt();
    }
}

typedef void *rom_lookup_function(const uint16_t *table, uint32_t code);

/* The ROM holds 16-bit pointers at fixed places near address 0, which the compiler must not take for null. */
static uintptr_t rom_pointer(uintptr_t address) {
    __asm__("" : "+r"(address));
    return *(const volatile uint16_t *)address;
}

static void *rom_lookup(uintptr_t table_pointer, char first, char second) {
    rom_lookup_function *lookup = (rom_lookup_function *)rom_pointer(0x18);
    return lookup((const uint16_t *)rom_pointer(table_pointer),
                  (uint32_t)(uint8_t)second << 8 | (uint8_t)first);
}

void *rom_function(char first, char second) { return rom_lookup(0x14, first, second); }

void *rom_data(char first, char second) { return rom_lookup(0x16, first, second); }

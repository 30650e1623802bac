/* What the test images share: clocks, pins, the console on UART0, time, and the end of a run. Times that an
 * image prints stand on lines that begin with '~', so that two emulators can be compared on all other lines.
 */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stdint.h>

#include "registers.h"

#define IN_RAM __attribute__((section(".ram_text"), noinline))

/* 63 to 133 MHz in whole MHz: the feedback divider is this number, behind it stand 6 and 2 (2.18.2). */
#ifndef SYSTEM_HZ
#define SYSTEM_HZ 125000000u
#endif

/* XOSC 12 MHz, PLL_SYS for clk_sys and clk_peri, 1 MHz tick for TIMER. */
void clocks_start(void);
/* PLL_USB at 48 MHz for clk_adc. */
void clocks_start_adc(void);
void reset_release(uint32_t blocks);

void pin_function(uint32_t pin, uint32_t function);
void pin_output(uint32_t pin);

/* clocks_start() and UART0 at 115200 baud, 8N1, on GP0 and GP1. */
void console_start(void);
void put_char(char character);
void put_text(const char *text);
void put_hex(uint32_t value, uint32_t digits);
void put_decimal(uint32_t value);
void put_signed(int32_t value);
/* "name value\n" in decimal, and in eight hexadecimal digits. */
void put_named(const char *name, uint32_t value);
void put_named_hex(const char *name, uint32_t value);

void interrupt_enable(uint32_t number);
static inline uint32_t time_us(void) { return TIMER_TIMERAWL; }
/* SysTick as a down-counter of clk_sys cycles, 24 bits. */
void stopwatch_start(void);
uint32_t stopwatch_cycles(void);

/* Prints "done", drains the console and sleeps for good. */
_Noreturn void finish(void);

static inline void wait_for_interrupt(void) { __asm__ volatile("wfi" ::: "memory"); }
static inline void interrupts_off(void) { __asm__ volatile("cpsid i" ::: "memory"); }
static inline void interrupts_on(void) { __asm__ volatile("cpsie i\n\tisb" ::: "memory"); }

/* The boot ROM's look-up of functions and data by a code of two letters (2.8.3). */
void *rom_function(char first, char second);
void *rom_data(char first, char second);

#endif

/* What the flash costs past the cache: a word read by code in SRAM, and code run through the window without cache,
 * as time per access that the cache controller counts. */
#include "support.h"

#define XIP_CTR_ACC REGISTER(0x14000010u)
#define WORDS 64
#define TURNS 16

static const uint32_t table[WORDS] __attribute__((aligned(512))) = {1, 2, 3};
static volatile uint32_t sum;

static uintptr_t past_cache(uintptr_t address) { return address - XIP_BASE + XIP_NOCACHE_NOALLOC_BASE; }

static IN_RAM uint32_t cycles_of_reads(const volatile uint32_t *words, uint32_t count) {
    uint32_t from = SYST_CVR;
    for (uint32_t index = 0; index < count; index++) {
        (void)words[index];
    }
    return from - SYST_CVR;
}

static void put_reads(void) {
    static volatile uint32_t in_ram[WORDS];
    const volatile uint32_t *flash = (const volatile uint32_t *)past_cache((uintptr_t)table);
    stopwatch_start();
    uint32_t with_flash = cycles_of_reads(flash, WORDS), with_ram = cycles_of_reads(in_ram, WORDS);
    put_named("reads", WORDS);
    put_named("cycles beyond SRAM", with_flash - with_ram);
}

static __attribute__((noinline)) uint32_t increment(uint32_t number) {
    __asm__ volatile("" : "+r"(number));
    return number + 1;
}

static __attribute__((noinline)) void work(void) {
#pragma GCC unroll 8
    for (int copy = 0; copy < 8; copy++) {
        for (uint32_t number = 0; number < TURNS;) {
            number = increment(number);
            sum += number;
        }
    }
}

static IN_RAM void time_code(uintptr_t entry, uint32_t *accesses, uint32_t *cycles) {
    XIP_CTR_ACC = 0;
    stopwatch_start();
    ((void (*)(void))entry)();
    *cycles = stopwatch_cycles();
    *accesses = XIP_CTR_ACC;
}

int main(void) {
    uint32_t accesses, cycles;
    console_start();
    put_reads();
    time_code(past_cache((uintptr_t)work), &accesses, &cycles);
    put_named("code accesses", accesses);
    put_named("code cycles", cycles);
    finish();
}

/* What a read of the flash costs with the image's boot2: words past the cache, words that miss it and words
 * that hit, measured by code in SRAM. Known for real boards at 125 MHz: 40 cycles past the cache with
 * boot2_quad, about 256 with boot2_slow. */
#include "support.h"

#define XIP_CTRL_FLUSH REGISTER(0x14000004u)
#define READS 64

static const uint32_t table[READS * 2] __attribute__((aligned(512))) = {1, 2, 3};

static IN_RAM uint32_t read_words(const volatile uint32_t *words, uint32_t stride) {
    uint32_t total = 0;
    stopwatch_start();
    uint32_t from = SYST_CVR;
    for (uint32_t index = 0; index < READS; index++) {
        total += *words;
        words += stride;
    }
    uint32_t to = SYST_CVR;
    __asm__ volatile("" ::"r"(total));
    return from - to;
}

static void print(const char *name, uint32_t cycles, uint32_t in_ram) {
    put_text("~ ");
    put_named(name, cycles - in_ram);
}

int main(void) {
    static volatile uint32_t in_ram[READS];
    console_start();
    const volatile uint32_t *past_cache =
        (const volatile uint32_t *)((uintptr_t)table - XIP_BASE + XIP_NOCACHE_NOALLOC_BASE);
    uint32_t base = read_words(in_ram, 1);
    put_named("reads", READS);
    put_text("Extra cycles against SRAM:\n");
    print("past the cache", read_words(past_cache, 1), base);
    XIP_CTRL_FLUSH = 1;
    (void)XIP_CTRL_FLUSH;
    print("misses, one a line", read_words(table, 2), base);
    print("hits", read_words(table, 2), base);
    print("misses in the lines' second half", read_words(table + 1, 2), base);
    finish();
}

/* The boot ROM's memory functions, SRAM to SRAM: what 16 further bytes cost, aligned, and one further byte where
 * source and destination do not align alike. */
#include "support.h"

typedef uint32_t copy_function(void *to, const void *from, uint32_t bytes);
typedef uint32_t fill_function(void *to, uint32_t byte, uint32_t bytes);

static uint32_t source[1024], destination[1024];

static uint32_t cycles_of_copy(copy_function *copy, const uint8_t *from, uint32_t bytes) {
    stopwatch_start();
    copy(destination, from, bytes);
    return stopwatch_cycles();
}

static uint32_t cycles_of_fill(fill_function *fill, uint32_t bytes) {
    stopwatch_start();
    fill(destination, 0x55, bytes);
    return stopwatch_cycles();
}

static void warm_up(copy_function *copy, fill_function *fill) {
    cycles_of_copy(copy, (const uint8_t *)source, 64);
    cycles_of_fill(fill, 64);
}

int main(void) {
    console_start();
    copy_function *copy = (copy_function *)rom_function('M', 'C');
    fill_function *fill = (fill_function *)rom_function('M', 'S');
    const uint8_t *from = (const uint8_t *)source;
    warm_up(copy, fill);
    put_named("copy", (cycles_of_copy(copy, from, 2064) - cycles_of_copy(copy, from, 464)) / 100);
    put_named("odd copy", (cycles_of_copy(copy, from + 1, 2000) - cycles_of_copy(copy, from + 1, 1000)) / 1000);
    put_named("fill", (cycles_of_fill(fill, 2064) - cycles_of_fill(fill, 464)) / 100);
    finish();
}

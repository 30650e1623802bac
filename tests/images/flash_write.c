/* Erases a sector of the flash and programs a page, as an image does it in the field: the boot ROM's
 * functions, called by code in SRAM with interrupts off, then boot2 once more for fast XIP (RP2040
 * datasheet 2.8.3.1.3). */
#include "support.h"

#define OFFSET 0x100000u
#define SECTOR_BYTES 4096u
#define PAGE_BYTES 256u
#define BLOCK_BYTES 65536u
#define BLOCK_ERASE 0xd8u

typedef void plain_function(void);
typedef void erase_function(uint32_t offset, uint32_t count, uint32_t block_bytes, uint8_t block_command);
typedef void program_function(uint32_t offset, const uint8_t *data, uint32_t count);

static struct {
    plain_function *connect, *exit_xip, *flush_cache, *enter_xip;
    erase_function *erase;
    program_function *program;
} rom;
static uint32_t boot2[64];
static uint8_t page[PAGE_BYTES];

static void look_up(void) {
    rom.connect = (plain_function *)rom_function('I', 'F');
    rom.exit_xip = (plain_function *)rom_function('E', 'X');
    rom.erase = (erase_function *)rom_function('R', 'E');
    rom.program = (program_function *)rom_function('R', 'P');
    rom.flush_cache = (plain_function *)rom_function('F', 'C');
    rom.enter_xip = (plain_function *)rom_function('C', 'X');
    for (uint32_t index = 0; index < 64; index++) {
        boot2[index] = REGISTER(XIP_BASE + 4 * index);
    }
}

static IN_RAM void write_flash(uint32_t erase, uint32_t program) {
    interrupts_off();
    rom.connect();
    rom.exit_xip();
    if (erase) {
        rom.erase(OFFSET, SECTOR_BYTES, BLOCK_BYTES, BLOCK_ERASE);
    }
    if (program) {
        rom.program(OFFSET, page, PAGE_BYTES);
    }
    rom.flush_cache();
    rom.enter_xip();
    ((plain_function *)((uintptr_t)boot2 + 1))();
    interrupts_on();
}

static uint32_t sum(uint32_t base) {
    uint32_t total = 0;
    for (uint32_t index = 0; index < SECTOR_BYTES / 4; index++) {
        total += REGISTER(base + OFFSET + 4 * index);
    }
    return total;
}

static void step(const char *name, uint32_t erase, uint32_t program) {
    uint32_t from = time_us();
    write_flash(erase, program);
    uint32_t ended = time_us();
    put_text(name);
    put_char('\n');
    put_named_hex("  first word", REGISTER(XIP_BASE + OFFSET));
    put_named_hex("  sum, cached", sum(XIP_BASE));
    put_named_hex("  sum, not cached", sum(XIP_NOCACHE_NOALLOC_BASE));
    put_named("~ microseconds", ended - from);
}

int main(void) {
    console_start();
    look_up();
    for (uint32_t index = 0; index < PAGE_BYTES; index++) {
        page[index] = (uint8_t)(index * 7 + 1);
    }
    step("erase", 1, 0);
    step("program", 0, 1);
    for (uint32_t index = 0; index < PAGE_BYTES; index++) {
        page[index] = 0x0f;
    }
    step("program over it: bits only fall", 0, 1);
    step("erase and program", 1, 1);
    finish();
}

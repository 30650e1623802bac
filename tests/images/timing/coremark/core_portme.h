/* What CoreMark asks of the machine it runs on: type names, where its data lies, and that there is no C library. */
#ifndef CORE_PORTME_H
#define CORE_PORTME_H

#include <stddef.h>
#include <stdint.h>

#define HAS_FLOAT 0
#define HAS_STDIO 0
#define HAS_PRINTF 0
#define HAS_TIME_H 0
#define USE_CLOCK 0
#define MAIN_HAS_NOARGC 1
#define MAIN_HAS_NORETURN 0
#define MULTITHREAD 1
#define SEED_METHOD SEED_VOLATILE
#define MEM_METHOD MEM_STACK
#define MEM_LOCATION "STACK"
#define COMPILER_VERSION __VERSION__
#define COMPILER_FLAGS ""

typedef int8_t ee_s8;
typedef uint8_t ee_u8;
typedef int16_t ee_s16;
typedef uint16_t ee_u16;
typedef int32_t ee_s32;
typedef uint32_t ee_u32;
typedef uintptr_t ee_ptr_int;
typedef size_t ee_size_t;
typedef uint32_t CORE_TICKS;
typedef struct {
    ee_u8 portable_id;
} core_portable;

#define align_mem(address) (void *)(((ee_ptr_int)(address) + 3) & ~(ee_ptr_int)3)

extern ee_u32 default_num_contexts;

void portable_init(core_portable *port, int *argc, char *argv[]);
void portable_fini(core_portable *port);
int ee_printf(const char *format, ...);

#endif

/* What lwIP wants to know of compiler and port. */
#ifndef LWIP_ARCH_CC_H
#define LWIP_ARCH_CC_H

#include <stddef.h>
#include <stdint.h>

#include "random.h"

#define LWIP_NO_INTTYPES_H 1
#define LWIP_NO_CTYPE_H 1
#define LWIP_NO_UNISTD_H 1
#define LWIP_PROVIDE_ERRNO 1
#define X8_F "x"
#define U16_F "u"
#define S16_F "d"
#define X16_F "x"
#define U32_F "lu"
#define S32_F "ld"
#define X32_F "lx"
#define SZT_F "u"

#define LWIP_PLATFORM_DIAG(text)
/* Says which assertion failed, and stops for the watchdog. */
_Noreturn void lwip_assertion_failed(const char *sentence);
#define LWIP_PLATFORM_ASSERT(sentence) lwip_assertion_failed(sentence)
#define LWIP_RAND() random_word()

/* Headers are read by words and halves: with ETH_PAD_SIZE they lie at words, and none of lwIP's has a gap between its
 * fields (port_lwip.c). As packed structures the compiler would read them a byte at a time, as a Cortex-M0+ must. */
#ifndef PACK_STRUCT_STRUCT
#define PACK_STRUCT_STRUCT
#endif

#endif

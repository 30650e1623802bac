/* Random numbers for ports and sequence numbers. They are no secret: do not make keys of them. */
#ifndef HAL_RANDOM_H
#define HAL_RANDOM_H

#include <stdint.h>

uint32_t random_word(void);

#endif

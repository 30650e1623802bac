/* Levels of pins, each sampled in every cycle of the processor's clock. */
#ifndef HAL_SAMPLER_H
#define HAL_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#define SAMPLER_CHANNELS 4u
/* A word holds 32 samples, the oldest lowest. The ring of a channel holds so many words. */
#define SAMPLER_RING_WORDS 8192u

/* Samples `count` pins from one cycle on, which is sample 0 of all. */
void sampler_start(const uint8_t *pins, unsigned count);
void sampler_stop(void);
/* How many whole words all channels have written since the start; wraps. To be asked every 50 ms. */
uint32_t sampler_words(void);
/* The ring of a channel: word n is at n % SAMPLER_RING_WORDS. */
const uint32_t *sampler_ring(unsigned channel);
/* Whether samples were left out, so that counts say nothing any more. */
bool sampler_has_stalled(void);

#endif

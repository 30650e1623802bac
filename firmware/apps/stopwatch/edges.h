/* Edges in samples of levels. Words of 32 samples, the oldest lowest, as hal/sampler.h has them; each channel in a ring. */
#ifndef EDGES_H
#define EDGES_H

#include <stdbool.h>
#include <stdint.h>

#define EDGES_CHANNELS 4u
/* Words are looked at by so many. */
#define EDGES_GROUP_WORDS 8u

struct edge_finder {
    unsigned channels;
    uint32_t levels; /* after the last word, a bit for each channel */
    uint64_t words;  /* that were looked at */
    void (*found)(unsigned channel, bool level, uint64_t sample);
};

/* Nothing was looked at yet, and the channels have these levels. */
void edges_start(struct edge_finder *finder, unsigned channels, uint32_t levels);
/* Looks at the next group of words of every channel, and tells what is found in the order of time; edges of one sample in the
 * order of channels. */
void edges_find(struct edge_finder *finder, const uint32_t *const groups[EDGES_CHANNELS]);

#endif

/* Edges in samples of levels. Words of 32 samples, the oldest lowest, as hal/sampler.h has them. */
#ifndef EDGES_H
#define EDGES_H

#include <stdbool.h>
#include <stdint.h>

#define EDGES_CHANNELS 4u
/* Words are looked at by so many. */
#define EDGES_GROUP_WORDS 16u

typedef void edge_found(unsigned channel, bool level, uint64_t sample);

struct edge_finder {
    unsigned channels;
    /* The last sample of each channel, in all bits. */
    uint32_t last[EDGES_CHANNELS];
    uint64_t words; /* that were looked at */
    edge_found *found;
};

/* Nothing was looked at yet, and the channels have these levels, a bit each. */
void edges_start(struct edge_finder *finder, unsigned channels, uint32_t levels, edge_found *found);
/* Looks at the next so many groups of words of every channel, which begin there, and tells what is found in the order
 * of time; edges of one sample in the order of channels. */
void edges_find(struct edge_finder *finder, const uint32_t *const words[EDGES_CHANNELS], unsigned groups);
uint32_t edges_levels(const struct edge_finder *finder);

#endif

/* Most groups are flat, so that a channel costs a few cycles for 256 samples; only the others are taken apart. */
#include "edges.h"

#define SAMPLES 32u

void edges_start(struct edge_finder *finder, unsigned channels, uint32_t levels) {
    finder->channels = channels;
    finder->levels = levels;
    finder->words = 0;
}

static bool is_flat(const uint32_t *words, bool level) {
    uint32_t any = 0, all = UINT32_MAX;
    if (level) {
        for (unsigned word = 0; word < EDGES_GROUP_WORDS; word++) {
            all &= words[word];
        }
        return all == UINT32_MAX;
    }
    for (unsigned word = 0; word < EDGES_GROUP_WORDS; word++) {
        any |= words[word];
    }
    return any == 0;
}

/* Of each channel the samples that differ from the one before; `samples` has the samples. */
static void tell(struct edge_finder *finder, uint64_t first, uint32_t *changes, const uint32_t *samples) {
    for (uint32_t left = changes[0] | changes[1] | changes[2] | changes[3]; left; left &= left - 1u) {
        unsigned sample = (unsigned)__builtin_ctz(left);
        for (unsigned channel = 0; channel < finder->channels; channel++) {
            if (changes[channel] >> sample & 1u) {
                finder->found(channel, samples[channel] >> sample & 1u, first + sample);
            }
        }
    }
}

static void take_apart(struct edge_finder *finder, const uint32_t *const groups[EDGES_CHANNELS]) {
    for (unsigned word = 0; word < EDGES_GROUP_WORDS; word++) {
        uint32_t changes[EDGES_CHANNELS] = {0}, samples[EDGES_CHANNELS] = {0};
        for (unsigned channel = 0; channel < finder->channels; channel++) {
            uint32_t before = finder->levels >> channel & 1u;
            samples[channel] = groups[channel][word];
            changes[channel] = samples[channel] ^ (samples[channel] << 1 | before);
            finder->levels =
                (finder->levels & ~(1u << channel)) | samples[channel] >> (SAMPLES - 1u) << channel;
        }
        tell(finder, (finder->words + word) * SAMPLES, changes, samples);
    }
}

void edges_find(struct edge_finder *finder, const uint32_t *const groups[EDGES_CHANNELS]) {
    for (unsigned channel = 0; channel < finder->channels; channel++) {
        if (!is_flat(groups[channel], finder->levels >> channel & 1u)) {
            take_apart(finder, groups);
            break;
        }
    }
    finder->words += EDGES_GROUP_WORDS;
}

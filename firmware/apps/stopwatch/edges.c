/* Most groups are flat, so that a channel costs a few cycles for 512 samples; of the others only those words are taken
 * apart that are not flat. */
#include "edges.h"

#define SAMPLES 32u

_Static_assert(EDGES_GROUP_WORDS == 16, "is_flat() looks at 16 words");

void edges_start(struct edge_finder *finder, unsigned channels, uint32_t levels, edge_found *found) {
    finder->channels = channels;
    finder->words = 0;
    finder->found = found;
    for (unsigned channel = 0; channel < EDGES_CHANNELS; channel++) {
        finder->last[channel] = levels >> channel & 1u ? UINT32_MAX : 0;
    }
}

uint32_t edges_levels(const struct edge_finder *finder) {
    uint32_t levels = 0;
    for (unsigned channel = 0; channel < finder->channels; channel++) {
        levels |= (finder->last[channel] & 1u) << channel;
    }
    return levels;
}

#define FOUR(word, operator) (word[0] operator word[1] operator word[2] operator word[3])
#define SIXTEEN(word, operator)                                                                                        \
    (FOUR(word, operator) operator FOUR((word + 4), operator) operator FOUR((word + 8), operator)                      \
         operator FOUR((word + 12), operator))

/* Whether all samples of a group are `last`. */
static inline bool is_flat(const uint32_t *word, uint32_t last) {
    return last ? SIXTEEN(word, &) == UINT32_MAX : SIXTEEN(word, |) == 0;
}

static void take_word_apart(struct edge_finder *finder, const uint32_t *const words[EDGES_CHANNELS], unsigned at) {
    uint32_t changes[EDGES_CHANNELS], left = 0;
    for (unsigned channel = 0; channel < finder->channels; channel++) {
        uint32_t samples = words[channel][at];
        changes[channel] = samples ^ (samples << 1 | (finder->last[channel] & 1u));
        left |= changes[channel];
    }
    uint64_t first = (finder->words + at) * SAMPLES;
    for (; left; left &= left - 1u) {
        unsigned sample = (unsigned)__builtin_ctz(left);
        for (unsigned channel = 0; channel < finder->channels; channel++) {
            if (changes[channel] >> sample & 1u) {
                finder->last[channel] = ~finder->last[channel];
                finder->found(channel, finder->last[channel] & 1u, first + sample);
            }
        }
    }
}

static void take_apart(struct edge_finder *finder, const uint32_t *const words[EDGES_CHANNELS], unsigned from) {
    for (unsigned at = from; at < from + EDGES_GROUP_WORDS; at++) {
        for (unsigned channel = 0; channel < finder->channels; channel++) {
            if (words[channel][at] != finder->last[channel]) {
                take_word_apart(finder, words, at);
                break;
            }
        }
    }
}

void edges_find(struct edge_finder *finder, const uint32_t *const words[EDGES_CHANNELS], unsigned groups) {
    unsigned end = groups * EDGES_GROUP_WORDS, channels = finder->channels;
    for (unsigned at = 0; at < end; at += EDGES_GROUP_WORDS) {
        for (unsigned channel = 0; channel < channels; channel++) {
            if (!is_flat(words[channel] + at, finder->last[channel])) {
                take_apart(finder, words, at);
                break;
            }
        }
    }
    finder->words += end;
}

/* Implementation of pattern.h: a word at a time. */
#include "pattern.h"

static uint64_t word_at(uint64_t seed, uint64_t index) {
    uint64_t z = seed + 0x9e3779b97f4a7c15u * (index + 1u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void pattern_write(uint64_t seed, uint64_t place, uint8_t *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        uint64_t word = word_at(seed, (place + done) / 8u);
        unsigned at = (unsigned)((place + done) % 8u);
        for (word >>= 8u * at; at < 8 && done < count; at++, word >>= 8) {
            bytes[done++] = (uint8_t)word;
        }
    }
}

size_t pattern_difference(uint64_t seed, uint64_t place, const uint8_t *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        uint64_t word = word_at(seed, (place + done) / 8u);
        unsigned at = (unsigned)((place + done) % 8u);
        for (word >>= 8u * at; at < 8 && done < count; at++, word >>= 8) {
            if (bytes[done] != (uint8_t)word) {
                return done;
            }
            done++;
        }
    }
    return count;
}

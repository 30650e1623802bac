/* One chip with its driver, for the tests of both. */
#ifndef RADIO_UNDER_TEST_H
#define RADIO_UNDER_TEST_H

#include "cyw43.h"
#include "simulated_radio.h"

extern struct simulated_radio radio;
extern struct cyw43 cyw43;
/* More than two windows of the backplane, and no whole number of blocks. */
extern const uint32_t firmware_words[17003], nvram_words[5], clm_words[246];
extern const uint8_t given_mac[6];
extern const struct cyw43_network home, guests, safe;

void prepare_radio(enum radio_illness illness);
enum cyw43_fault start_radio(enum radio_illness illness);
/* Started, and in a network. */
void join_radio(const struct cyw43_network *network);
/* Takes whatever waits, as a program does that looks for frames. */
size_t look(void);

#endif

/* Implementation of radio_under_test.h. */
#include "radio_under_test.h"

#include "cyw43_frames.h"

struct simulated_radio radio;
struct cyw43 cyw43;
const uint32_t firmware_words[17003] = {0x20008000,          0x0000,       0x4711,
                                        [8191] = 0x08150815, [8192] = 0x1, [17002] = 0xcafe};
const uint32_t nvram_words[5] = {0x3d79656b, 0x756c6176, 0x65, 0x3d78, 0};
const uint32_t clm_words[246] = {0x424f4c42, [127] = 0x1234, [128] = 0x5678, [245] = 0x9abc};
const uint8_t given_mac[6] = {2, 0, 0, 0x41, 0x57, 0x50};
const struct cyw43_network home = {"home", "correct horse", CYW43_WPA2};
const struct cyw43_network guests = {"guests", NULL, CYW43_OPEN};
const struct cyw43_network safe = {"safe", "battery staple", CYW43_WPA3};

static const struct cyw43_image image = {.firmware = firmware_words,
                                         .firmware_bytes = sizeof firmware_words,
                                         .nvram = nvram_words,
                                         .nvram_bytes = sizeof nvram_words,
                                         .clm = clm_words,
                                         .clm_bytes = sizeof clm_words};

void prepare_radio(enum radio_illness illness) {
    radio_begin(&radio, illness);
    cyw43 = (struct cyw43){.port = &simulated_radio_port, .context = &radio, .image = &image};
}

enum cyw43_fault start_radio(enum radio_illness illness) {
    prepare_radio(illness);
    return cyw43_start(&cyw43, 33300000, given_mac, "DE");
}

size_t look(void) {
    cyw43_frames_acknowledge(&cyw43);
    size_t bytes = cyw43_frames_next(&cyw43);
    return bytes;
}

void join_radio(const struct cyw43_network *network) {
    start_radio(RADIO_WELL);
    cyw43_join(&cyw43, network);
    radio_gives_event(&radio, 3, 0, 0, 0);
    radio_gives_event(&radio, 16, 0, 0, 1);
    if (network->security != CYW43_OPEN) {
        radio_gives_event(&radio, 46, 6, 0, 0);
    }
    radio_gives_event(&radio, 0, 0, 0, 0);
    look();
}

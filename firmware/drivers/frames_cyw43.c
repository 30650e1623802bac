/* The board's radio as frames.h has it: its port on the HAL's gSPI, the network that the image's settings name, and
 * what is said of it. frames_cyw43.h moves the frames. */
#include "frames.h"

#include "clock.h"
#include "cyw43_blob.h"
#include "gspi.h"
#include "lamp.h"
#include "settings.h"

_Static_assert(FRAMES_MOST_BYTES == CYW43_FRAMES_MOST_BYTES, "frames.h asks for what the driver takes");

#define NAME_BYTES 36u
#define PASSPHRASE_BYTES 64u
#define COUNTRY_BYTES 8u

SETTING_TEXT(ssid, NAME_BYTES, "airwire", "text 32", "the name of the network to join");
SETTING_TEXT(passphrase, PASSPHRASE_BYTES, "airwire-bench", "text 63", "its passphrase, of 8 to 63 characters");
SETTING(security, 1, "choice open|wpa2|wpa3", "what the network asks for");
SETTING_TEXT(country, COUNTRY_BYTES, "XX", "text 2",
             "where the board is, in two letters such as DE; XX is what is allowed everywhere");
SETTING(power_save, 0, "choice off|pm1|pm2",
        "whether the radio sleeps between beacons: not at all, at once after each frame, or after a while without any");
SETTING(power_save_return_ms, 200, "ms 10..2000 by 10", "with pm2: how long it stays awake after a frame");

static uint32_t start(void *context, uint32_t hz) {
    (void)context;
    return gspi_start(hz);
}

static void power(void *context, bool is_on) {
    (void)context;
    gspi_power(is_on);
}

static void begin(void *context, uint32_t command, size_t out_words, size_t in_words) {
    (void)context;
    gspi_begin(command, out_words, in_words);
}

static void put(void *context, const void *words, size_t count) {
    (void)context;
    gspi_put(words, count);
}

static void get(void *context, void *words, size_t count) {
    (void)context;
    gspi_get(words, count);
}

static void end(void *context) {
    (void)context;
    gspi_end();
}

static uint32_t microseconds(void *context) {
    (void)context;
    return clock_us();
}

static void sleep(void *context, uint32_t limit_us) {
    (void)context;
    clock_sleep(limit_us);
}

static const struct cyw43_port port = {start, power, begin, put, get, end, microseconds, sleep};
static const struct cyw43_image image = {.firmware = cyw43_blob_firmware,
                                         .firmware_bytes = CYW43_BLOB_FIRMWARE_BYTES,
                                         .nvram = cyw43_blob_nvram,
                                         .nvram_bytes = CYW43_BLOB_NVRAM_BYTES,
                                         .clm = cyw43_blob_clm,
                                         .clm_bytes = CYW43_BLOB_CLM_BYTES};
struct cyw43 board_cyw43 = {.port = &port, .image = &image};

static enum cyw43_fault fault;
static char name[NAME_BYTES], passphrase[PASSPHRASE_BYTES], country[COUNTRY_BYTES];
static struct cyw43_network network = {name, passphrase, CYW43_OPEN};
static volatile bool is_lamp_wanted;
static bool is_lamp_lit;
static enum cyw43_link problem_before = CYW43_LINK_JOINING; /* why the last attempt came to nothing */

static void copy(char *to, const volatile char *from, size_t bytes) {
    for (size_t place = 0; place < bytes; place++) {
        to[place] = from[place];
    }
}

enum frames_fault frames_start(const uint8_t mac[6], const struct frames_bus *bus) {
    copy(name, setting_ssid, sizeof name);
    copy(passphrase, setting_passphrase, sizeof passphrase);
    copy(country, setting_country, sizeof country);
    network.security = (enum cyw43_security)setting_security;
    gspi_set_dma_from(bus->spi_dma_from_bytes);
    fault = cyw43_start(&board_cyw43, bus->spi_hz, mac, country);
    if (fault == CYW43_READY &&
        !cyw43_save_power(&board_cyw43, (enum cyw43_power_save)setting_power_save, setting_power_save_return_ms)) {
        fault = CYW43_NO_ANSWER;
    }
    return fault == CYW43_READY ? FRAMES_READY : FRAMES_NO_CHIP;
}

bool frames_open(void) {
    cyw43_join(&board_cyw43, &network);
    return true;
}

const char *frames_chip_name(void) { return "CYW43439"; }

uint32_t frames_spi_hz(void) { return cyw43_bus_hz(&board_cyw43); }

const char *frames_sentence(enum frames_fault problem) {
    switch (problem) {
    case FRAMES_READY:
        return cyw43_sentence(CYW43_READY);
    case FRAMES_NO_CHIP:
        return cyw43_sentence(fault);
    case FRAMES_NO_LINK:
        return cyw43_link_sentence(problem_before);
    case FRAMES_NO_ADDRESS:
        return "The CYW43439 is in its network, and has no IP address: set one, or wait for DHCP.";
    }
    return "";
}

/* Asked ten times a second: what has time is done here. */
bool frames_has_link(void) {
    bool is_wanted = is_lamp_wanted;
    if (is_wanted != is_lamp_lit && cyw43_set_outputs(&board_cyw43, 1, is_wanted)) {
        is_lamp_lit = is_wanted;
    }
    if (cyw43_link(&board_cyw43) != CYW43_LINK_JOINING) {
        problem_before = cyw43_link(&board_cyw43);
    }
    cyw43_tend(&board_cyw43);
    return cyw43_link(&board_cyw43) == CYW43_LINK_UP;
}

bool frames_knows_link(void) { return true; }

void frames_set_waiter(const struct spi_waiter *waiter) { gspi_set_waiter(waiter); }

void lamp_put(bool is_lit) { is_lamp_wanted = is_lit; }

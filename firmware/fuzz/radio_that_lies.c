/* The radio's driver with a line on which anything may come: the input's words again and again, or one for ever; where
 * the first byte says so, in the place of packets only, so that the start succeeds. Whatever the chip says, the driver
 * stays in bounds and comes back, after no more transactions than its waits allow. */
#include <stdlib.h>
#include <string.h>

#include "cyw43_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* A request waits for an answer for 500 ms, in which a chip that sends packets without a pause is read all the time; a
 * join has eleven requests. */
#define MOST_TRANSACTIONS 600000u
/* A slow bus, on which a wait by the clock has few of them. */
#define TRANSACTION_US 20u
#define PLACES 64u

static const uint8_t *said;
static size_t said_count, said_at;
static bool is_kind; /* whatever the start asks for it gets */
static uint32_t command, place, now_us;
static unsigned transactions;

static void check(bool is_right) {
    if (!is_right) {
        abort();
    }
}

static uint32_t start(void *context, uint32_t hz) {
    (void)context;
    return hz;
}

static void power(void *context, bool is_on) {
    (void)context;
    (void)is_on;
}

static void begin(void *context, uint32_t word, size_t out_words, size_t in_words) {
    (void)context;
    command = word;
    place = 0;
    check(out_words + in_words <= 513);
    check(++transactions < MOST_TRANSACTIONS);
    now_us += TRANSACTION_US;
}

static void put(void *context, const void *words, size_t count) {
    (void)context;
    static uint8_t taken[2048];
    check(count <= 512);
    memcpy(taken, words, 4 * count); /* as the sanitizer sees it */
}

/* The test pattern in either order, the chip's number, clocks and readiness. */
static uint32_t kind_word(void) {
    uint32_t address = command >> 11 & 0x1ffffu, function = command >> 28 & 3u;
    if (command == 0x00a00440u) {
        return 0xedfeadbeu;
    }
    if (function == 0) {
        return address == 0x14 ? 0xfeedbeadu : address == 0x08 ? 0x20u : 0;
    }
    return address == 0x8000 ? 0xa9afu : address == 0x1000e ? 0xc0u : address == 0x1001f ? 3u : 0;
}

static uint32_t lie(void) {
    uint32_t word = 0;
    for (unsigned n = 0; n < 4 && said_count; n++) {
        word = word << 8 | said[said_at++ % said_count];
    }
    return word;
}

static void get(void *context, void *words, size_t count) {
    (void)context;
    for (uint8_t *to = words; count; count--, place++) {
        uint32_t word = is_kind ? kind_word() : lie();
        if (to) {
            memcpy(to, &word, 4);
            to += 4;
        }
    }
}

static void end(void *context) { (void)context; }

static uint32_t microseconds(void *context) {
    (void)context;
    return ++now_us;
}

static void pass(void *context, uint32_t limit_us) {
    (void)context;
    now_us += limit_us;
}

static const struct cyw43_port port = {start, power, begin, put, get, end, microseconds, pass};

static void use_frames(struct cyw43 *cyw43) {
    uint8_t *buffer = malloc(CYW43_FRAMES_MOST_BYTES); /* so that the sanitizer sees one byte more */
    memset(buffer, 0, CYW43_FRAMES_MOST_BYTES);
    for (unsigned n = 0; n < 32; n++) {
        cyw43_frames_acknowledge(cyw43);
        size_t bytes = cyw43_frames_next(cyw43);
        check(bytes <= CYW43_FRAMES_MOST_BYTES);
        if (bytes) {
            cyw43_frames_read(cyw43, buffer, bytes / 2);
            cyw43_frames_read(cyw43, buffer + bytes / 2, bytes - bytes / 2);
            cyw43_frames_finish(cyw43);
        }
        if (cyw43_frames_has_room(cyw43, n + 14)) {
            cyw43_frames_write(cyw43, buffer, n + 14);
            cyw43_frames_send(cyw43);
        }
        cyw43_tend(cyw43);
    }
    free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const uint32_t words[PLACES] = {1};
    static const uint8_t mac[6] = {2, 0, 0, 0x41, 0x57, 0x50};
    static const struct cyw43_image image = {.firmware = words,
                                             .firmware_bytes = sizeof words,
                                             .nvram = words,
                                             .nvram_bytes = 4,
                                             .clm = words,
                                             .clm_bytes = sizeof words};
    static const struct cyw43_network network = {"lab", "correct horse", CYW43_WPA2};
    struct cyw43 cyw43 = {.port = &port, .image = &image};
    is_kind = count && bytes[0] & 1u;
    said = count ? bytes + 1 : bytes;
    said_count = count ? count - 1 : 0;
    said_at = transactions = 0;
    cyw43_start(&cyw43, 33300000, mac, "DE");
    is_kind = false;
    cyw43.is_running = true; /* as after a start that went well */
    cyw43_join(&cyw43, &network);
    transactions = 0;
    use_frames(&cyw43);
    cyw43_save_power(&cyw43, CYW43_PM_2, 200);
    cyw43_rssi_dbm(&cyw43);
    cyw43_leave(&cyw43);
    return 0;
}

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Driver of Infineon's CYW43439 over gSPI, as a Pico W has it: start, a network to join, its LED, power save.
 * cyw43_frames.h has whole Ethernet frames for a TCP/IP stack in software. There is no heap, no global variable, and
 * every wait has a limit. README.md says how to take it into another project, and what the radio's own firmware is. */
#ifndef CYW43_H
#define CYW43_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CYW43_MOST_BUS_HZ 50000000u /* of gSPI (CYW43439 datasheet, gSPI timing) */

/* What the driver needs of a board, as functions of its user. `context` is the one of struct cyw43. None may be null,
 * and none is called from an interrupt handler. Words are aligned, and go over the line as they lie in memory: the byte
 * at the lowest address first, of each byte the most significant bit. */
struct cyw43_port {
    /* Sets pins and bus up, with WL_REG_ON low and the line of data driven low, for the fastest clock that is not above
     * `hz`. Returns what it came out as. */
    uint32_t (*start)(void *context, uint32_t hz);
    /* Drives WL_REG_ON. The line of data stays driven low until the first transaction, by which the chip knows gSPI. */
    void (*power)(void *context, bool is_on);
    /* Begins a transaction: selects the chip and writes one word. So many words follow by put(), and then so many come
     * in by get(), from the next rising edge of the clock on. */
    void (*begin)(void *context, uint32_t command, size_t out_words, size_t in_words);
    void (*put)(void *context, const void *words, size_t count);
    /* `words` may be null for those that nobody wants. */
    void (*get)(void *context, void *words, size_t count);
    /* Ends it when the last bit has gone: deselects the chip, and lets go of the line of data. */
    void (*end)(void *context);
    /* Microseconds from any begin; they wrap after 2^32. */
    uint32_t (*microseconds)(void *context);
    /* Passes that time or less, asleep where the board can. */
    void (*sleep)(void *context, uint32_t limit_us);
};

/* What the chip is given at the start: the firmware of its own processor, settings of the board (NVRAM: texts of the
 * form key=value, each with a NUL behind it), and the table of what is allowed in which country (CLM). All are aligned
 * to words; the first two are whole words. */
struct cyw43_image {
    const void *firmware;
    size_t firmware_bytes;
    const void *nvram;
    size_t nvram_bytes;
    const void *clm;
    size_t clm_bytes;
};

/* Why the chip cannot be used. */
enum cyw43_fault {
    CYW43_READY,
    CYW43_NO_CHIP,     /* nothing on the line answers as the chip does */
    CYW43_NO_CLOCK,    /* a clock that the chip was asked for did not come */
    CYW43_NO_FIRMWARE, /* what was uploaded does not start */
    CYW43_NO_ANSWER,   /* the firmware runs, and does not answer */
    CYW43_NO_REGIONS,  /* it refuses the table of countries */
};

enum cyw43_security { CYW43_OPEN, CYW43_WPA2, CYW43_WPA3 };

/* A network. The texts stay where they are for as long as it is wanted. */
struct cyw43_network {
    const char *name;       /* at most 32 bytes */
    const char *passphrase; /* 8 to 63 bytes; WPA3 takes up to 128; of an open network nobody reads it */
    enum cyw43_security security;
};

/* Where the station stands with the network that it was asked to join. */
enum cyw43_link {
    CYW43_LINK_NONE,      /* none was asked for */
    CYW43_LINK_JOINING,   /* it looks for it, or is at the keys */
    CYW43_LINK_UP,        /* frames go */
    CYW43_LINK_NOT_FOUND, /* there is no such network */
    CYW43_LINK_WRONG_KEY, /* the access point does not take the passphrase */
    CYW43_LINK_REFUSED,   /* it does not take the station, or the chip not the request */
    CYW43_LINK_LOST,      /* it was up, and the access point is gone or has ended it */
};

/* How the radio saves power between frames: not at all, at once after each, or after a while without any. */
enum cyw43_power_save { CYW43_PM_OFF, CYW43_PM_1, CYW43_PM_2 };

#define CYW43_MESSAGE_WORDS 168u /* the longest request: 512 bytes of a table with its headers */

/* One chip. A program names its `port`, `context` and `image`, and leaves the rest zero; it lives as long as the chip
 * is used. */
struct cyw43 {
    const struct cyw43_port *port;
    void *context; /* handed to the port's functions */
    const struct cyw43_image *image;
    /* The driver's own. */
    uint32_t bus_hz, window;
    uint32_t faults;
    const struct cyw43_network *network;
    uint32_t tried_us; /* when it was asked for the network last */
    enum cyw43_link link;
    bool has_link_event, is_keyed, is_running;
    uint8_t mac[6];
    uint8_t sequence; /* of the next frame to the chip */
    uint8_t credit;   /* the first one that it does not take */
    bool is_stopped;  /* it wants none for now */
    uint16_t request; /* the number of the last one */
    uint16_t answer_bytes;
    bool is_answered, is_refused;
    /* The transaction under way: words that are left of it, and bytes of the last one. */
    struct {
        uint32_t words;
        uint32_t carried;
        uint8_t carried_bytes;
    } transfer;
    uint16_t frame_bytes;                  /* left of the Ethernet frame that is read, or written */
    uint16_t announced_bytes;              /* of the frame that is to be written */
    uint32_t message[CYW43_MESSAGE_WORDS]; /* a request or its answer */
};

/* Takes the chip's power and gives it back, uploads its firmware, and sets it up as a station of `country` (two letters
 * such as "DE"; "XX" is what is allowed everywhere). With `mac` it has that address, else its own. It takes about 0.4
 * s. Calling it once more begins anew; a network that was asked for has to be asked for again. */
enum cyw43_fault cyw43_start(struct cyw43 *cyw43, uint32_t hz, const uint8_t mac[6], const char country[2]);
/* The clock of the bus that it came out as. */
uint32_t cyw43_bus_hz(const struct cyw43 *cyw43);
/* Its address, once it has started. */
const uint8_t *cyw43_mac(const struct cyw43 *cyw43);
/* What a fault means, and what a person can do about it. */
const char *cyw43_sentence(enum cyw43_fault fault);

/* Asks for a network. It is looked for until it is there, and again when it was lost, by cyw43_tend(). */
void cyw43_join(struct cyw43 *cyw43, const struct cyw43_network *network);
/* Leaves it. False where the chip does not answer. */
bool cyw43_leave(struct cyw43 *cyw43);
/* To be called some ten times a second: asks for the network anew where that is due. It takes some 10 ms then. */
void cyw43_tend(struct cyw43 *cyw43);
enum cyw43_link cyw43_link(const struct cyw43 *cyw43);
/* What that means, and what a person can do about it. */
const char *cyw43_link_sentence(enum cyw43_link link);
/* How strong the access point is received, in dBm; 0 where there is none. */
int cyw43_rssi_dbm(struct cyw43 *cyw43);

/* `return_ms` is how long the radio stays awake after a frame (CYW43_PM_2), in steps of 10 ms. False where the chip
 * does not answer. */
bool cyw43_save_power(struct cyw43 *cyw43, enum cyw43_power_save mode, uint32_t return_ms);
/* Sets those of the chip's own outputs that `mask` names; 0 is the LED of a Pico W. Nobody waits for the answer. False
 * where the chip takes no request now. */
bool cyw43_set_outputs(struct cyw43 *cyw43, uint32_t mask, uint32_t levels);

#ifdef __cplusplus
}
#endif

#endif

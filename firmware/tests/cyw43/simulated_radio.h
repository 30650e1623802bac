/* A CYW43439 for tests: words on its line, registers, memory, and packets, as the facts of the chip have them; written
 * from these and not from the driver. What is wrong with it a test says. */
#ifndef SIMULATED_RADIO_H
#define SIMULATED_RADIO_H

#include "cyw43.h"

#define RADIO_MEMORY_BYTES 0x80000u
#define RADIO_PACKETS 8u
#define RADIO_PACKET_BYTES 2048u
#define RADIO_REQUESTS 64u

enum radio_illness {
    RADIO_WELL,
    RADIO_ABSENT, /* the line stays high */
    RADIO_STUCK,  /* the line stays low */
    RADIO_NO_SLOW_CLOCK,
    RADIO_NO_FAST_CLOCK,
    RADIO_NO_PACKETS, /* function 2 does not get ready */
    RADIO_SILENT,     /* requests are not answered */
    RADIO_REFUSES,    /* each is answered by a refusal */
    RADIO_NO_REGIONS, /* the table of countries is a wrong one */
};

struct radio_request {
    uint32_t command;
    bool sets;
    char name[32];
    uint8_t content[600]; /* behind the name */
    size_t bytes;
};

struct simulated_radio {
    enum radio_illness illness;
    uint64_t now_us;
    unsigned transactions, mistakes; /* of whoever drives it */
    bool has_power, knows_words, is_selected, has_slow_clock, runs;
    uint32_t window, interrupts, enabled;
    uint8_t own[32]; /* of the backplane's own registers from 0x10000 on */
    uint32_t tested;
    uint32_t core[2][2]; /* control and reset of the processor and of the memory */
    uint8_t memory[RADIO_MEMORY_BYTES];
    /* The transaction. */
    uint32_t command;
    size_t offset, words_out, words_in;
    uint8_t packet[RADIO_PACKET_BYTES]; /* from the host */
    /* Packets for the host, the oldest first. */
    struct {
        uint8_t bytes[RADIO_PACKET_BYTES];
        size_t count;
    } waiting[RADIO_PACKETS];
    size_t waiting_count;
    uint8_t credits, expected; /* how far ahead the host may go, and its next sequence number */
    uint8_t mac[6];
    uint32_t outputs;
    struct radio_request requests[RADIO_REQUESTS];
    size_t request_count;
    uint8_t frame[RADIO_PACKET_BYTES]; /* the last Ethernet frame from the host */
    size_t frame_bytes, frames;
};

extern const struct cyw43_port simulated_radio_port;

void radio_begin(struct simulated_radio *radio, enum radio_illness illness);
/* The last request of a name, or of a number where `name` is null; null where there was none. */
const struct radio_request *radio_asked(const struct simulated_radio *radio, const char *name, uint32_t command);
/* A packet for the host: a frame, an event, or any bytes. */
void radio_gives_frame(struct simulated_radio *radio, const uint8_t *frame, size_t count);
void radio_gives_event(struct simulated_radio *radio, uint32_t kind, uint32_t status, uint32_t reason, uint16_t flags);
void radio_gives_packet(struct simulated_radio *radio, const uint8_t *packet, size_t count);
/* What a chip says of credits in a packet of its own. */
void radio_gives_credit(struct simulated_radio *radio);

#endif

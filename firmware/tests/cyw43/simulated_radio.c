/* Implementation of simulated_radio.h. Each look at the clock takes a microsecond, so that whoever waits does get
 * there. */
#include "simulated_radio.h"

#include <string.h>

#define WRITES 0x80000000u
#define FUNCTION(command) ((command) >> 28 & 3u)
#define ADDRESS(command) ((command) >> 11 & 0x1ffffu)
#define LENGTH(command) ((command) & 0x7ffu ? (command) & 0x7ffu : 2048u)

enum { PROCESSOR, MEMORY };

static uint32_t swapped(uint32_t word) { return (word & 0x00ff00ffu) << 8 | (word >> 8 & 0x00ff00ffu); }

static uint32_t word_at(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void put_word(uint8_t *bytes, uint32_t word) {
    for (unsigned n = 0; n < 4; n++) {
        bytes[n] = (uint8_t)(word >> 8 * n);
    }
}

static void expect(struct simulated_radio *radio, bool is_right) { radio->mistakes += !is_right; }

static bool takes_packets(const struct simulated_radio *radio) {
    return radio->runs && radio->illness != RADIO_NO_PACKETS && radio->illness != RADIO_NO_FAST_CLOCK;
}

static uint32_t status(const struct simulated_radio *radio) {
    uint32_t word = takes_packets(radio) ? 1u << 5 : 0;
    return radio->waiting_count ? word | 1u << 8 | (uint32_t)radio->waiting[0].count << 9 : word;
}

static uint32_t read_bus(struct simulated_radio *radio, uint32_t address) {
    switch (address) {
    case 0x04:
        return radio->interrupts | radio->enabled << 16;
    case 0x08:
        return status(radio);
    case 0x14:
        return radio->tested++ ? 0xfeedbeadu : 0x03030303u;
    default:
        return 0;
    }
}

static void write_bus(struct simulated_radio *radio, uint32_t address, size_t bytes, uint32_t value) {
    if (address == 0x00) {
        expect(radio, bytes == 4 && value & 1u && value & 2u && !(value >> 16 & 1u)); /* order; no status words */
        radio->knows_words = true;
    } else if (address == 0x04) {
        radio->interrupts &= ~value;
    } else if (address == 0x06) {
        radio->enabled = value & 0xffffu;
    } else {
        expect(radio, address == 0x1d && value == 4);
    }
}

/* Availability follows the clocks. */
static uint8_t clocks(const struct simulated_radio *radio) {
    bool is_fast = radio->runs && radio->illness != RADIO_NO_FAST_CLOCK;
    bool is_slow = radio->has_slow_clock && radio->illness != RADIO_NO_SLOW_CLOCK;
    return (uint8_t)(radio->own[0x0e] | (is_slow ? 0x40 : 0) | (is_fast ? 0x80 : 0));
}

static uint32_t read_own(const struct simulated_radio *radio, uint32_t address) {
    switch (address) {
    case 0x1000e:
        return clocks(radio);
    case 0x1001f:
        return radio->own[0x1f] & 1u ? 3 : 0;
    default:
        return radio->own[address & 0x1fu];
    }
}

static void write_own(struct simulated_radio *radio, uint32_t address, uint32_t value) {
    radio->own[address & 0x1fu] = (uint8_t)value;
    if (address >= 0x1000a && address <= 0x1000c) {
        unsigned shift = 8 * (address - 0x10009);
        radio->window = (radio->window & ~(0xffu << shift)) | value << shift;
        expect(radio, !(radio->window & 0x7fffu));
    }
    if (address == 0x1000e && value & 0x08) {
        radio->has_slow_clock = true;
    }
    if (address == 0x1000d && value & 1 && radio->waiting_count) {
        memmove(radio->waiting, radio->waiting + 1, --radio->waiting_count * sizeof *radio->waiting);
    }
}

/* The processor runs firmware that is there, with settings whose length is right. */
static void look_at_processor(struct simulated_radio *radio) {
    bool runs = !(radio->core[PROCESSOR][1] & 1u) && (radio->core[PROCESSOR][0] & 0x23u) == 1u;
    uint32_t token = word_at(radio->memory + RADIO_MEMORY_BYTES - 4);
    bool has_all = word_at(radio->memory) && (token & 0xffffu) && (token >> 16 ^ (token & 0xffffu)) == 0xffffu;
    expect(radio, !runs || radio->runs || has_all);
    if (runs && has_all && !radio->runs) {
        radio->runs = true;
        static const uint8_t nothing[244];
        radio_gives_packet(radio, nothing, 0);
    }
}

static void write_word(struct simulated_radio *radio, uint32_t address, size_t bytes, uint32_t value) {
    if (address < RADIO_MEMORY_BYTES) {
        for (size_t n = 0; n < bytes; n++) {
            radio->memory[address + n] = (uint8_t)(value >> 8 * n);
        }
        return;
    }
    expect(radio, bytes == 4);
    for (unsigned core = 0; core < 2; core++) {
        uint32_t wrapper = core ? 0x18104000u : 0x18103000u;
        if (address == wrapper + 0x408 || address == wrapper + 0x800) {
            radio->core[core][address == wrapper + 0x800] = value;
        }
    }
    look_at_processor(radio);
}

static uint32_t read_backplane(const struct simulated_radio *radio, uint32_t address) {
    if (address & 0x10000u) {
        return read_own(radio, address);
    }
    address = radio->window | (address & 0x7fffu);
    if (address < RADIO_MEMORY_BYTES) {
        return word_at(radio->memory + address);
    }
    return address == 0x18000000u ? 0x1545a9afu : 0;
}

static void write_backplane(struct simulated_radio *radio, uint32_t address, size_t bytes, uint32_t value) {
    if (address & 0x10000u) {
        write_own(radio, address, value & 0xffu);
    } else {
        expect(radio, address & 0x8000u);
        write_word(radio, radio->window | (address & 0x7fffu), bytes, value);
    }
}

/* Its header: length, complement, channel, where the content begins; sequence and credit when it is read. */
static uint8_t *new_packet(struct simulated_radio *radio, unsigned channel, size_t begin, size_t count) {
    expect(radio, radio->waiting_count < RADIO_PACKETS && count <= RADIO_PACKET_BYTES);
    uint8_t *packet = radio->waiting[radio->waiting_count].bytes;
    radio->waiting[radio->waiting_count++].count = count;
    memset(packet, 0, RADIO_PACKET_BYTES);
    put_word(packet, (uint32_t)count | ~(uint32_t)count << 16);
    packet[5] = (uint8_t)channel;
    packet[7] = (uint8_t)begin;
    radio->interrupts |= 1u << 5;
    return packet;
}

void radio_gives_packet(struct simulated_radio *radio, const uint8_t *packet, size_t count) {
    uint8_t *to = new_packet(radio, 1, 12, count ? count : 256);
    if (count) {
        memcpy(to, packet, count);
    }
}

void radio_gives_credit(struct simulated_radio *radio) { new_packet(radio, 2, 12, 12); }

/* Short ones stand at the end of a buffer of 256 bytes; the frame begins two bytes behind a word. */
void radio_gives_frame(struct simulated_radio *radio, const uint8_t *frame, size_t count) {
    size_t total = 22 + count > 258 + count % 4 ? 22 + count : 258 + count % 4;
    uint8_t *packet = new_packet(radio, 2, total - count - 4, total);
    packet[total - count - 4] = 0x20;
    memcpy(packet + total - count, frame, count);
}

void radio_gives_event(struct simulated_radio *radio, uint32_t kind, uint32_t of_status, uint32_t reason,
                       uint16_t flags) {
    uint8_t *packet = new_packet(radio, 1, 14, 14 + 4 + 72);
    uint8_t *frame = packet + 18;
    static const uint8_t ethernet[] = {0x88, 0x6c, 0x80, 0x01, 0, 58, 0, 0x00, 0x10, 0x18, 0, 1, 0, 2};
    memcpy(frame + 12, ethernet, sizeof ethernet);
    frame[26] = (uint8_t)(flags >> 8);
    frame[27] = (uint8_t)flags;
    const uint32_t numbers[] = {kind, of_status, reason};
    for (unsigned n = 0; n < 3; n++) {
        for (unsigned byte = 0; byte < 4; byte++) {
            frame[28 + 4 * n + byte] = (uint8_t)(numbers[n] >> (24 - 8 * byte));
        }
    }
}

static void answer(struct simulated_radio *radio, const struct radio_request *request, const uint8_t *header,
                   size_t bytes) {
    uint8_t *packet = new_packet(radio, 0, 12, 12 + 16 + bytes);
    memcpy(packet + 12, header, 12);
    bool is_table = !strcmp(request->name, "clmload_status") && radio->illness == RADIO_NO_REGIONS;
    put_word(packet + 24, radio->illness == RADIO_REFUSES ? 0xffffffffu : 0);
    if (request->command == 262 && !strcmp(request->name, "cur_etheraddr")) {
        memcpy(packet + 28, radio->mac, 6);
    } else if (request->command == 127) {
        put_word(packet + 28, (uint32_t)-47);
    } else if (is_table) {
        put_word(packet + 28, 7);
    }
}

static void carry_out(struct simulated_radio *radio, const struct radio_request *request) {
    if (request->command == 263 && !strcmp(request->name, "cur_etheraddr")) {
        memcpy(radio->mac, request->content, 6);
    }
    if (request->command == 263 && !strcmp(request->name, "gpioout")) {
        uint32_t mask = word_at(request->content);
        radio->outputs = (radio->outputs & ~mask) | (word_at(request->content + 4) & mask);
    }
}

static void take_request(struct simulated_radio *radio, const uint8_t *body, size_t count) {
    static struct radio_request spare;
    bool has_room = radio->request_count < RADIO_REQUESTS;
    struct radio_request *request = has_room ? &radio->requests[radio->request_count++] : &spare;
    size_t bytes = word_at(body + 4);
    expect(radio, bytes == count - 16);
    memset(request, 0, sizeof *request);
    request->command = word_at(body);
    request->sets = body[8] & 2u;
    size_t name = 0;
    if (request->command == 262 || request->command == 263) {
        for (; name + 1 < sizeof request->name && body[16 + name]; name++) {
            request->name[name] = (char)body[16 + name];
        }
        name++;
    }
    request->bytes = bytes - name < sizeof request->content ? bytes - name : sizeof request->content;
    memcpy(request->content, body + 16 + name, request->bytes);
    carry_out(radio, request);
    if (radio->illness != RADIO_SILENT) {
        answer(radio, request, body, bytes);
    }
}

static void take_packet(struct simulated_radio *radio) {
    const uint8_t *packet = radio->packet;
    size_t count = (size_t)packet[0] | (size_t)packet[1] << 8, begin = packet[7];
    bool is_right = (count ^ ((size_t)packet[2] | (size_t)packet[3] << 8)) == 0xffffu && count <= radio->offset &&
                    radio->offset - count < 4 && begin >= 12 && begin <= count && packet[4] == radio->expected &&
                    takes_packets(radio);
    expect(radio, is_right);
    radio->expected = (uint8_t)(packet[4] + 1);
    if (!is_right) {
        return;
    }
    if (packet[5] == 0) {
        take_request(radio, packet + begin, count - begin);
    } else {
        expect(radio, packet[5] == 2 && packet[begin] == 0x20 && !packet[begin + 3]);
        radio->frame_bytes = count - begin - 4;
        memcpy(radio->frame, packet + begin + 4, radio->frame_bytes);
        radio->frames++;
        radio->credits = radio->credits ? (uint8_t)(radio->credits - 1) : 0;
    }
}

void radio_begin(struct simulated_radio *radio, enum radio_illness illness) {
    memset(radio, 0, sizeof *radio);
    radio->illness = illness;
    radio->core[PROCESSOR][1] = radio->core[MEMORY][1] = 1;
    radio->credits = 16;
    memcpy(radio->mac, (const uint8_t[]){0x28, 0xcd, 0xc1, 1, 2, 3}, 6);
}

const struct radio_request *radio_asked(const struct simulated_radio *radio, const char *name, uint32_t command) {
    for (size_t n = radio->request_count; n-- > 0;) {
        const struct radio_request *request = &radio->requests[n];
        if (name ? request->command == command && !strcmp(request->name, name) : request->command == command) {
            return request;
        }
    }
    return NULL;
}

static uint32_t start(void *context, uint32_t hz) {
    (void)context;
    return hz;
}

static void power(void *context, bool is_on) {
    struct simulated_radio *radio = context;
    if (is_on && !radio->has_power) {
        enum radio_illness illness = radio->illness;
        uint64_t now_us = radio->now_us;
        radio_begin(radio, illness);
        radio->now_us = now_us;
    }
    radio->has_power = is_on;
}

static void begin(void *context, uint32_t command, size_t out_words, size_t in_words) {
    struct simulated_radio *radio = context;
    radio->command = radio->knows_words ? command : swapped(command);
    radio->offset = 0;
    radio->words_out = out_words;
    radio->words_in = in_words;
    radio->transactions++;
    size_t delay = FUNCTION(radio->command) == 1 ? 1 : 0;
    size_t words = (LENGTH(radio->command) + 3) / 4;
    bool writes = radio->command & WRITES;
    expect(radio, radio->has_power && !radio->is_selected && out_words == (writes ? words : 0) &&
                      in_words == (writes ? 0 : words + delay));
    expect(radio, FUNCTION(radio->command) != 1 || LENGTH(radio->command) <= 64);
    radio->is_selected = true;
    if (FUNCTION(radio->command) == 2 && !writes && radio->waiting_count) {
        radio->waiting[0].bytes[9] = (uint8_t)(radio->expected + radio->credits);
    }
}

static void put(void *context, const void *words, size_t count) {
    struct simulated_radio *radio = context;
    expect(radio, !((uintptr_t)words & 3u) && count <= radio->words_out);
    radio->words_out -= count;
    for (const uint8_t *from = words; count; count--, from += 4) {
        uint32_t value = radio->knows_words ? word_at(from) : swapped(word_at(from));
        size_t left = LENGTH(radio->command) - radio->offset, bytes = left < 4 ? left : 4;
        uint32_t address = ADDRESS(radio->command) + (uint32_t)radio->offset;
        if (FUNCTION(radio->command) == 0) {
            write_bus(radio, address, bytes, value);
        } else if (FUNCTION(radio->command) == 1) {
            write_backplane(radio, address, bytes, value);
        } else if (radio->offset + 4 <= RADIO_PACKET_BYTES) {
            put_word(radio->packet + radio->offset, value);
        }
        radio->offset += 4;
    }
}

static uint32_t read(struct simulated_radio *radio) {
    if (radio->illness == RADIO_ABSENT || radio->illness == RADIO_STUCK) {
        return radio->illness == RADIO_ABSENT ? 0xffffffffu : 0;
    }
    size_t offset = radio->offset;
    switch (FUNCTION(radio->command)) {
    case 0:
        return read_bus(radio, ADDRESS(radio->command));
    case 1:
        return offset ? read_backplane(radio, ADDRESS(radio->command)) : 0xdeadbeefu; /* delay */
    default:
        return radio->waiting_count && offset < RADIO_PACKET_BYTES ? word_at(radio->waiting[0].bytes + offset) : 0;
    }
}

static void get(void *context, void *words, size_t count) {
    struct simulated_radio *radio = context;
    expect(radio, !((uintptr_t)words & 3u) && count <= radio->words_in);
    radio->words_in -= count < radio->words_in ? count : radio->words_in;
    for (uint8_t *to = words; count; count--) {
        uint32_t value = read(radio);
        radio->offset += 4;
        if (to) {
            put_word(to, radio->knows_words ? value : swapped(value));
            to += 4;
        }
    }
}

static void end(void *context) {
    struct simulated_radio *radio = context;
    expect(radio, radio->is_selected && !radio->words_out && !radio->words_in);
    radio->is_selected = false;
    radio->now_us += 1 + radio->offset / 4;
    if (FUNCTION(radio->command) != 2) {
        return;
    }
    if (radio->command & WRITES) {
        take_packet(radio);
    } else if (radio->waiting_count && radio->offset >= radio->waiting[0].count) {
        memmove(radio->waiting, radio->waiting + 1, --radio->waiting_count * sizeof *radio->waiting);
        radio->interrupts |= radio->waiting_count ? 1u << 5 : 0;
    }
}

static uint32_t microseconds(void *context) {
    struct simulated_radio *radio = context;
    return (uint32_t)++radio->now_us;
}

static void pass(void *context, uint32_t limit_us) {
    struct simulated_radio *radio = context;
    radio->now_us += limit_us;
}

const struct cyw43_port simulated_radio_port = {start, power, begin, put, get, end, microseconds, pass};

/* The driver with a chip that keeps registers and memories: start, addresses, TCP and UDP, memories that wrap. The same
 * for each of the chips. */
#include <stdint.h>
#include <stdlib.h>

#include "expect.h"
#include "simulated_chip.h"
#include "test_macraw.h"
#include "wiznet_sockets.h"

#define MOST_TRANSACTIONS_OF_A_START 200000u

static const uint8_t mac[6] = {2, 0, 0, 0x41, 0x57, 0x50};

static struct wiznet wiznet;
static struct simulated_chip chip;
static const struct simulated_kind *kind;

static void start(unsigned used) {
    chip_begin(&chip, kind);
    wiznet = (struct wiznet){.chip = wiznet.chip, .port = &simulated_port, .context = &chip.bus};
    EXPECT_EQUAL(wiznet_start(&wiznet, 33300000, mac), WIZNET_READY);
    wiznet_share_memory(&wiznet, used);
}

static uint8_t nothing_answers(void *context, unsigned place, uint8_t out) {
    (void)context;
    (void)place;
    (void)out;
    return 0xff;
}

static void a_chip_that_answers_is_found_and_gets_its_addresses(void) {
    static const uint8_t gateway[4] = {192, 168, 1, 1}, mask[4] = {255, 255, 255, 0}, own[4] = {192, 168, 1, 50};
    struct wiznet_addresses addresses;
    start(1);
    EXPECT(!memcmp(chip_common(&chip, 0x09), mac, 6));
    EXPECT_EQUAL(wiznet_query(&wiznet), WIZNET_NO_ADDRESS);
    memcpy(&addresses.gateway, gateway, 4);
    memcpy(&addresses.mask, mask, 4);
    memcpy(&addresses.address, own, 4);
    wiznet_set_addresses(&wiznet, &addresses);
    EXPECT(!memcmp(chip_common(&chip, 0x01), gateway, 4));
    EXPECT(!memcmp(chip_common(&chip, 0x05), mask, 4));
    EXPECT(!memcmp(chip_common(&chip, 0x0f), own, 4));
    EXPECT_EQUAL(wiznet_query(&wiznet), WIZNET_READY);
    EXPECT(!memcmp(chip_common(&chip, 0x01), gateway, 4)); /* asking leaves the addresses as they are */
    EXPECT(!memcmp(chip_common(&chip, 0x05), mask, 4));
}

static void a_chip_that_is_not_there_is_given_up_in_time(void) {
    chip_begin(&chip, kind);
    chip.bus.peer = nothing_answers;
    wiznet = (struct wiznet){.chip = wiznet.chip, .port = &simulated_port, .context = &chip.bus};
    EXPECT_EQUAL(wiznet_start(&wiznet, 33300000, mac), WIZNET_NO_CHIP);
    EXPECT(chip.bus.transactions < MOST_TRANSACTIONS_OF_A_START);
    EXPECT_EQUAL(wiznet_wait_until_ready(&wiznet, 100), WIZNET_NO_CHIP);
}

static void a_chip_that_goes_is_missed(void) {
    static const uint8_t gateway[4] = {192, 168, 1, 1}, mask[4] = {255, 255, 255, 0};
    for (unsigned has_addresses = 0; has_addresses < 2; has_addresses++) {
        start(1);
        if (has_addresses) {
            wiznet_set_addresses(&wiznet, &(struct wiznet_addresses){1, wiznet_address(mask), wiznet_address(gateway)});
        }
        EXPECT(wiznet_query(&wiznet) != WIZNET_NO_CHIP);
        chip.bus.peer = nothing_answers;
        EXPECT_EQUAL(wiznet_query(&wiznet), WIZNET_NO_CHIP);
    }
}

static void a_chip_without_a_link_says_so(void) {
    start(1);
    chip_lose_link(&chip);
    EXPECT_EQUAL(wiznet_wait_until_ready(&wiznet, 50), WIZNET_NO_LINK);
}

static void memory_is_shared_by_all_that_are_used(void) {
    for (unsigned used = 1; used <= wiznet_socket_count(&wiznet); used++) {
        unsigned sums[2] = {0, 0};
        start(used);
        for (unsigned socket = 0; socket < wiznet_socket_count(&wiznet); socket++) {
            for (int is_transmit = 0; is_transmit < 2; is_transmit++) {
                unsigned kib = chip_memory_kib(&chip, socket, is_transmit);
                sums[is_transmit] += kib;
                EXPECT((kib & (kib - 1)) == 0);
                EXPECT(socket >= used || kib == chip_memory_kib(&chip, 0, is_transmit));
            }
        }
        EXPECT(sums[0] <= chip_memory_kib_in_all(&chip) && sums[1] <= chip_memory_kib_in_all(&chip));
        EXPECT(chip_memory_kib(&chip, 0, true) * (used + 1) * 2 > chip_memory_kib_in_all(&chip));
    }
}

static uint8_t events_of(unsigned socket, enum wiznet_socket_state *state) {
    return wiznet_socket_take_events(&wiznet, socket, state);
}

static void a_listening_socket_takes_a_connection(void) {
    enum wiznet_socket_state state;
    start(2);
    EXPECT(wiznet_socket_listen(&wiznet, 1, 0x1234));
    EXPECT_EQUAL(*chip_socket(&chip, 1, 4) << 8 | *chip_socket(&chip, 1, 5), 0x1234);
    EXPECT_EQUAL(events_of(1, &state), 0);
    EXPECT_EQUAL(state, WIZNET_SOCKET_LISTENING);
    chip_accept(&chip, 1);
    EXPECT_EQUAL(wiznet_interrupts(&wiznet), 2);
    EXPECT_EQUAL(events_of(1, &state), WIZNET_SOCKET_CONNECTED);
    EXPECT_EQUAL(state, WIZNET_SOCKET_OPEN);
    EXPECT_EQUAL(wiznet_interrupts(&wiznet), 0);
    chip_peer_ends(&chip, 1);
    EXPECT_EQUAL(events_of(1, &state), WIZNET_SOCKET_DISCONNECTED);
    EXPECT_EQUAL(state, WIZNET_SOCKET_ENDED_BY_PEER);
    wiznet_socket_disconnect(&wiznet, 1);
    events_of(1, &state);
    EXPECT_EQUAL(state, WIZNET_SOCKET_CLOSED);
}

static void connect(unsigned socket) {
    static const uint8_t peer[4] = {192, 168, 1, 1};
    uint32_t address;
    enum wiznet_socket_state state;
    memcpy(&address, peer, 4);
    EXPECT(wiznet_socket_connect(&wiznet, socket, 50000, address, 5000));
    EXPECT(!memcmp(chip_socket(&chip, socket, 0x0c), peer, 4));
    EXPECT_EQUAL(*chip_socket(&chip, socket, 0x10) << 8 | *chip_socket(&chip, socket, 0x11), 5000);
    EXPECT_EQUAL(events_of(socket, &state), WIZNET_SOCKET_CONNECTED);
}

static uint32_t state_of_chance = 7;

static unsigned chance(unsigned below) {
    state_of_chance = state_of_chance * 1664525u + 1013904223u;
    return (state_of_chance >> 8) % below;
}

/* Pieces of all sizes, three times around the memory. */
static void what_is_written_is_sent_across_the_end_of_the_memory(unsigned socket) {
    size_t whole = 3 * 1024u * chip_memory_kib(&chip, socket, true) + 77, written = 0, sent;
    uint8_t *bytes = malloc(whole);
    enum wiznet_socket_state state;
    for (size_t at = 0; at < whole; at++) {
        bytes[at] = (uint8_t)chance(256);
    }
    connect(socket);
    chip_forget_sent(&chip, socket);
    while (written < whole) {
        size_t wanted = 1 + chance(1500), room = wiznet_socket_room(&wiznet, socket, wanted);
        size_t count = wanted < room ? wanted : room;
        count = count < whole - written ? count : whole - written;
        if (count) {
            written += wiznet_socket_write(&wiznet, socket, bytes + written, count);
        }
        if (!count || chance(3)) {
            EXPECT(wiznet_socket_send(&wiznet, socket));
            EXPECT(events_of(socket, &state) & WIZNET_SOCKET_SENT);
        }
    }
    wiznet_socket_send(&wiznet, socket);
    const uint8_t *taken = chip_sent(&chip, socket, &sent);
    EXPECT_EQUAL(sent, whole);
    EXPECT(!memcmp(taken, bytes, whole));
    free(bytes);
}

static void what_comes_in_is_read_across_the_end_of_the_memory(unsigned socket) {
    size_t size = 1024u * chip_memory_kib(&chip, socket, false), given = 0, got = 0, whole = 3 * size + 77;
    uint8_t *bytes = malloc(whole), *read = malloc(whole);
    for (size_t at = 0; at < whole; at++) {
        bytes[at] = (uint8_t)chance(256);
    }
    connect(socket);
    while (got < whole) {
        size_t piece = 1 + chance((unsigned)size);
        piece = piece < whole - given ? piece : whole - given;
        if (piece && chip_receive(&chip, socket, bytes + given, piece)) {
            given += piece;
        }
        EXPECT_EQUAL(wiznet_socket_received(&wiznet, socket), given - got);
        size_t count = given - got ? 1 + chance((unsigned)(given - got)) : 0;
        wiznet_socket_read(&wiznet, socket, read + got, count);
        got += count;
        EXPECT_EQUAL(wiznet_socket_received(&wiznet, socket), given - got);
        wiznet_socket_release(&wiznet, socket);
    }
    EXPECT(!memcmp(read, bytes, whole));
    free(bytes);
    free(read);
}

static void no_more_is_sent_while_a_send_is_under_way(void) {
    enum wiznet_socket_state state;
    size_t sent;
    start(1);
    connect(0);
    chip_hold_sending(&chip, true);
    EXPECT(wiznet_socket_room(&wiznet, 0, 100) >= 100);
    wiznet_socket_write(&wiznet, 0, (const uint8_t *)"one", 3);
    EXPECT(wiznet_socket_send(&wiznet, 0));
    EXPECT(wiznet_socket_is_sending(&wiznet, 0));
    EXPECT_EQUAL(wiznet_socket_write(&wiznet, 0, (const uint8_t *)"two", 3), 3);
    EXPECT(!wiznet_socket_send(&wiznet, 0));
    events_of(0, &state);
    EXPECT(!wiznet_socket_send(&wiznet, 0));
    chip_sent(&chip, 0, &sent);
    EXPECT_EQUAL(sent, 0);
    chip_hold_sending(&chip, false);
    EXPECT(events_of(0, &state) & WIZNET_SOCKET_SENT);
    EXPECT(wiznet_socket_send(&wiznet, 0));
    EXPECT(!memcmp(chip_sent(&chip, 0, &sent), "onetwo", 6));
    EXPECT_EQUAL(sent, 6);
}

/* 0x20 is SEND (W5500 datasheet, Sn_CR). */
static void a_send_that_the_chip_does_not_take_is_made_again(void) {
    enum wiznet_socket_state state;
    size_t sent;
    start(1);
    connect(0);
    EXPECT(wiznet_socket_room(&wiznet, 0, 5) >= 5);
    EXPECT_EQUAL(wiznet_socket_write(&wiznet, 0, (const uint8_t *)"again", 5), 5);
    chip_refuse(&chip, 0x20);
    EXPECT(!wiznet_socket_send(&wiznet, 0));
    EXPECT(!wiznet_socket_is_sending(&wiznet, 0));
    chip_refuse(&chip, 0);
    EXPECT(wiznet_socket_send(&wiznet, 0));
    EXPECT(events_of(0, &state) & WIZNET_SOCKET_SENT);
    EXPECT(!memcmp(chip_sent(&chip, 0, &sent), "again", 5));
    EXPECT_EQUAL(sent, 5);
}

/* Without a look at the room before there is none; and a room that was used up is not taken for a large one. */
static void a_write_takes_no_more_than_there_is_room_for(void) {
    static const uint8_t bytes[20000];
    size_t sent;
    start(1);
    connect(0);
    EXPECT_EQUAL(wiznet_socket_write(&wiznet, 0, bytes, 1), 0);
    size_t room = wiznet_socket_room(&wiznet, 0, sizeof bytes);
    EXPECT_EQUAL(room, 1024u * chip_memory_kib(&chip, 0, true));
    EXPECT_EQUAL(wiznet_socket_write(&wiznet, 0, bytes, room - 1), room - 1);
    EXPECT_EQUAL(wiznet_socket_write(&wiznet, 0, bytes, 100), 1);
    EXPECT_EQUAL(wiznet_socket_room(&wiznet, 0, 1), 0);
    EXPECT_EQUAL(wiznet_socket_write(&wiznet, 0, bytes, 100), 0);
    chip_forget_sent(&chip, 0);
    EXPECT(wiznet_socket_send(&wiznet, 0));
    chip_sent(&chip, 0, &sent);
    EXPECT_EQUAL(sent, room);
}

static void a_size_that_changes_while_it_is_read_is_never_too_large(void) {
    static uint8_t bytes[1400];
    for (size_t first = 1; first < 600; first += 17) {
        start(1);
        connect(0);
        chip_receive(&chip, 0, bytes, first);
        chip_receive_during_reading(&chip, 0, bytes, 700);
        EXPECT(wiznet_socket_received(&wiznet, 0) <= first + 700);
        EXPECT_EQUAL(wiznet_socket_received(&wiznet, 0), first + 700);
    }
}

static void a_datagram_goes_to_its_peer(void) {
    static const uint8_t peer[4] = {10, 1, 2, 3};
    uint32_t address;
    size_t sent;
    start(2);
    EXPECT(wiznet_socket_open_udp(&wiznet, 1, 5001));
    memcpy(&address, peer, 4);
    wiznet_socket_set_peer(&wiznet, 1, address, 0x8001);
    EXPECT(wiznet_socket_room(&wiznet, 1, 5) >= 5);
    wiznet_socket_write(&wiznet, 1, (const uint8_t *)"hello", 5);
    EXPECT(wiznet_socket_send(&wiznet, 1));
    EXPECT(!memcmp(chip_sent(&chip, 1, &sent), "hello", 5));
    EXPECT(!memcmp(chip_socket(&chip, 1, 0x0c), peer, 4));
    EXPECT_EQUAL(*chip_socket(&chip, 1, 0x10) << 8 | *chip_socket(&chip, 1, 0x11), 0x8001);
}

/* The W6100 has the length first, with the kind of the address in its upper bits (ioLibrary, recvfrom()). */
static void a_datagram_tells_whom_it_is_from_and_how_long_it_is(void) {
    static const uint8_t address_first[] = {10, 1, 2, 3, 0x80, 1, 0x05, 0xc0},
                         length_first[] = {0x05, 0xc0, 10, 1, 2, 3, 0x80, 1};
    static const uint8_t peer[4] = {10, 1, 2, 3};
    uint8_t header[WIZNET_DATAGRAM_HEADER_BYTES];
    uint32_t address;
    uint16_t port;
    start(2);
    EXPECT(wiznet_socket_open_udp(&wiznet, 1, 5001));
    EXPECT(chip_receive(&chip, 1, wiznet.chip == &wiznet_w6100 ? length_first : address_first, sizeof header));
    EXPECT_EQUAL(wiznet_socket_received(&wiznet, 1), sizeof header);
    wiznet_socket_read(&wiznet, 1, header, sizeof header);
    EXPECT_EQUAL(wiznet_datagram_header(&wiznet, header, &address, &port), 1472);
    EXPECT(!memcmp(&address, peer, 4));
    EXPECT_EQUAL(port, 0x8001);
}

static void the_driver_drives(const struct wiznet_chip *facts, const struct simulated_kind *simulated) {
    wiznet.chip = facts;
    kind = simulated;
    a_chip_that_answers_is_found_and_gets_its_addresses();
    a_chip_that_is_not_there_is_given_up_in_time();
    a_chip_that_goes_is_missed();
    if (wiznet_knows_link(&wiznet)) {
        a_chip_without_a_link_says_so();
    }
    memory_is_shared_by_all_that_are_used();
    a_listening_socket_takes_a_connection();
    for (unsigned used = 1; used <= wiznet_socket_count(&wiznet); used *= 2) {
        for (unsigned socket = 0; socket < used; socket++) {
            start(used);
            what_is_written_is_sent_across_the_end_of_the_memory(socket);
            what_comes_in_is_read_across_the_end_of_the_memory(socket);
            EXPECT_EQUAL(chip.faults, 0);
        }
    }
    no_more_is_sent_while_a_send_is_under_way();
    a_send_that_the_chip_does_not_take_is_made_again();
    a_write_takes_no_more_than_there_is_room_for();
    a_size_that_changes_while_it_is_read_is_never_too_large();
    a_datagram_goes_to_its_peer();
    a_datagram_tells_whom_it_is_from_and_how_long_it_is();
    EXPECT_EQUAL(chip.faults, 0);
}

int main(void) {
    the_driver_drives(&wiznet_w5500, &simulated_w5500);
    the_driver_drives(&wiznet_w6100, &simulated_w6100);
    the_driver_drives(&wiznet_w5200, &simulated_w5200);
    the_driver_drives(&wiznet_w5100s, &simulated_w5100s);
    the_driver_drives(&wiznet_w5100, &simulated_w5100);
    int driver = expect_result(), frames = test_macraw();
    return driver || frames;
}

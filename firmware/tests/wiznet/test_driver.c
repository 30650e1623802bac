/* The driver with a chip that keeps registers and memories: start, addresses, TCP and UDP, memories that wrap. The same
 * for each of the four chips. */
#include <stdint.h>
#include <stdlib.h>

#include "board_simulation.h"
#include "chip.h"
#include "chip_simulation.h"
#include "expect.h"
#include "sockets.h"
#include "test_macraw.h"
#include "wiznet.h"

#define MOST_TRANSACTIONS_OF_A_START 200000u

static const uint8_t mac[6] = {2, 0, 0, 0x41, 0x57, 0x50};

static void start(unsigned used) {
    chip_begin();
    EXPECT_EQUAL(wiznet_start(33300000, mac), WIZNET_READY);
    sockets_share_memory(used);
}

static uint8_t nothing_answers(unsigned place, uint8_t out) {
    (void)place;
    (void)out;
    return 0xff;
}

static void a_chip_that_answers_is_found_and_gets_its_addresses(void) {
    static const uint8_t gateway[4] = {192, 168, 1, 1}, mask[4] = {255, 255, 255, 0}, own[4] = {192, 168, 1, 50};
    struct wiznet_addresses addresses;
    start(1);
    EXPECT(!memcmp(chip_common(0x09), mac, 6));
    EXPECT_EQUAL(wiznet_query(), WIZNET_NO_ADDRESS);
    memcpy(&addresses.gateway, gateway, 4);
    memcpy(&addresses.mask, mask, 4);
    memcpy(&addresses.address, own, 4);
    wiznet_set_addresses(&addresses);
    EXPECT(!memcmp(chip_common(0x01), gateway, 4));
    EXPECT(!memcmp(chip_common(0x05), mask, 4));
    EXPECT(!memcmp(chip_common(0x0f), own, 4));
    EXPECT_EQUAL(wiznet_query(), WIZNET_READY);
}

static void a_chip_that_is_not_there_is_given_up_in_time(void) {
    board_begin(nothing_answers, NULL);
    EXPECT_EQUAL(wiznet_start(33300000, mac), WIZNET_NO_CHIP);
    EXPECT(board_transactions < MOST_TRANSACTIONS_OF_A_START);
    EXPECT_EQUAL(wiznet_wait_until_ready(100), WIZNET_NO_CHIP);
}

#ifndef BOARD_WIZNET_W5100 /* says nothing of its link */
static void a_chip_without_a_link_says_so(void) {
    start(1);
#if defined(BOARD_WIZNET_W5500)
    *chip_common(0x2e) = 0xbe;
#elif defined(BOARD_WIZNET_W5200)
    *chip_common(0x35) = 0;
#else
    *chip_common(0x3c) = 0;
#endif
    EXPECT_EQUAL(wiznet_wait_until_ready(50), WIZNET_NO_LINK);
}
#endif

static void memory_is_shared_by_all_that_are_used(void) {
    for (unsigned used = 1; used <= socket_count(); used++) {
        unsigned sums[2] = {0, 0};
        start(used);
        for (unsigned socket = 0; socket < socket_count(); socket++) {
            for (int is_transmit = 0; is_transmit < 2; is_transmit++) {
                unsigned kib = chip_memory_kib(socket, is_transmit);
                sums[is_transmit] += kib;
                EXPECT((kib & (kib - 1)) == 0);
                EXPECT(socket >= used || kib == chip_memory_kib(0, is_transmit));
            }
        }
        EXPECT(sums[0] <= CHIP_MEMORY_KIB && sums[1] <= CHIP_MEMORY_KIB);
        EXPECT(chip_memory_kib(0, true) * (used + 1) * 2 > CHIP_MEMORY_KIB);
    }
}

static uint8_t events_of(unsigned socket, enum socket_state *state) { return socket_take_events(socket, state); }

static void a_listening_socket_takes_a_connection(void) {
    enum socket_state state;
    start(2);
    EXPECT(socket_listen(1, 0x1234));
    EXPECT_EQUAL(*chip_socket(1, 4) << 8 | *chip_socket(1, 5), 0x1234);
    EXPECT_EQUAL(events_of(1, &state), 0);
    EXPECT_EQUAL(state, SOCKET_LISTENING);
    chip_accept(1);
    EXPECT_EQUAL(wiznet_interrupts(), 2);
    EXPECT_EQUAL(events_of(1, &state), SOCKET_CONNECTED);
    EXPECT_EQUAL(state, SOCKET_OPEN);
    EXPECT_EQUAL(wiznet_interrupts(), 0);
    chip_peer_ends(1);
    EXPECT_EQUAL(events_of(1, &state), SOCKET_DISCONNECTED);
    EXPECT_EQUAL(state, SOCKET_ENDED_BY_PEER);
    socket_disconnect(1);
    events_of(1, &state);
    EXPECT_EQUAL(state, SOCKET_CLOSED);
}

static void connect(unsigned socket) {
    static const uint8_t peer[4] = {192, 168, 1, 1};
    uint32_t address;
    enum socket_state state;
    memcpy(&address, peer, 4);
    EXPECT(socket_connect(socket, 50000, address, 5000));
    EXPECT(!memcmp(chip_socket(socket, 0x0c), peer, 4));
    EXPECT_EQUAL(*chip_socket(socket, 0x10) << 8 | *chip_socket(socket, 0x11), 5000);
    EXPECT_EQUAL(events_of(socket, &state), SOCKET_CONNECTED);
}

static uint32_t state_of_chance = 7;

static unsigned chance(unsigned below) {
    state_of_chance = state_of_chance * 1664525u + 1013904223u;
    return (state_of_chance >> 8) % below;
}

/* Pieces of all sizes, three times around the memory. */
static void what_is_written_is_sent_across_the_end_of_the_memory(unsigned socket) {
    size_t whole = 3 * 1024u * chip_memory_kib(socket, true) + 77, written = 0, sent;
    uint8_t *bytes = malloc(whole);
    enum socket_state state;
    for (size_t at = 0; at < whole; at++) {
        bytes[at] = (uint8_t)chance(256);
    }
    connect(socket);
    chip_forget_sent(socket);
    while (written < whole) {
        size_t wanted = 1 + chance(1500), room = socket_room(socket, wanted);
        size_t count = wanted < room ? wanted : room;
        count = count < whole - written ? count : whole - written;
        if (count) {
            written += socket_write(socket, bytes + written, count);
        }
        if (!count || chance(3)) {
            EXPECT(socket_send(socket));
            EXPECT(events_of(socket, &state) & SOCKET_SENT);
        }
    }
    socket_send(socket);
    const uint8_t *taken = chip_sent(socket, &sent);
    EXPECT_EQUAL(sent, whole);
    EXPECT(!memcmp(taken, bytes, whole));
    free(bytes);
}

static void what_comes_in_is_read_across_the_end_of_the_memory(unsigned socket) {
    size_t size = 1024u * chip_memory_kib(socket, false), given = 0, got = 0, whole = 3 * size + 77;
    uint8_t *bytes = malloc(whole), *read = malloc(whole);
    for (size_t at = 0; at < whole; at++) {
        bytes[at] = (uint8_t)chance(256);
    }
    connect(socket);
    while (got < whole) {
        size_t piece = 1 + chance((unsigned)size);
        piece = piece < whole - given ? piece : whole - given;
        if (piece && chip_receive(socket, bytes + given, piece)) {
            given += piece;
        }
        EXPECT_EQUAL(socket_received(socket), given - got);
        size_t count = given - got ? 1 + chance((unsigned)(given - got)) : 0;
        socket_read(socket, read + got, count);
        got += count;
        EXPECT_EQUAL(socket_received(socket), given - got);
        socket_release(socket);
    }
    EXPECT(!memcmp(read, bytes, whole));
    free(bytes);
    free(read);
}

static void no_more_is_sent_while_a_send_is_under_way(void) {
    enum socket_state state;
    size_t sent;
    start(1);
    connect(0);
    chip_hold_sending(true);
    EXPECT(socket_room(0, 100) >= 100);
    socket_write(0, (const uint8_t *)"one", 3);
    EXPECT(socket_send(0));
    EXPECT(socket_is_sending(0));
    EXPECT_EQUAL(socket_write(0, (const uint8_t *)"two", 3), 3);
    EXPECT(!socket_send(0));
    events_of(0, &state);
    EXPECT(!socket_send(0));
    chip_sent(0, &sent);
    EXPECT_EQUAL(sent, 0);
    chip_hold_sending(false);
    EXPECT(events_of(0, &state) & SOCKET_SENT);
    EXPECT(socket_send(0));
    EXPECT(!memcmp(chip_sent(0, &sent), "onetwo", 6));
    EXPECT_EQUAL(sent, 6);
}

/* 0x20 is SEND (W5500 datasheet, Sn_CR). */
static void a_send_that_the_chip_does_not_take_is_made_again(void) {
    enum socket_state state;
    size_t sent;
    start(1);
    connect(0);
    EXPECT(socket_room(0, 5) >= 5);
    EXPECT_EQUAL(socket_write(0, (const uint8_t *)"again", 5), 5);
    chip_refuse(0x20);
    EXPECT(!socket_send(0));
    EXPECT(!socket_is_sending(0));
    chip_refuse(0);
    EXPECT(socket_send(0));
    EXPECT(events_of(0, &state) & SOCKET_SENT);
    EXPECT(!memcmp(chip_sent(0, &sent), "again", 5));
    EXPECT_EQUAL(sent, 5);
}

/* Without a look at the room before there is none; and a room that was used up is not taken for a large one. */
static void a_write_takes_no_more_than_there_is_room_for(void) {
    static const uint8_t bytes[20000];
    size_t sent;
    start(1);
    connect(0);
    EXPECT_EQUAL(socket_write(0, bytes, 1), 0);
    size_t room = socket_room(0, sizeof bytes);
    EXPECT_EQUAL(room, 1024u * chip_memory_kib(0, true));
    EXPECT_EQUAL(socket_write(0, bytes, room - 1), room - 1);
    EXPECT_EQUAL(socket_write(0, bytes, 100), 1);
    EXPECT_EQUAL(socket_room(0, 1), 0);
    EXPECT_EQUAL(socket_write(0, bytes, 100), 0);
    chip_forget_sent(0);
    EXPECT(socket_send(0));
    chip_sent(0, &sent);
    EXPECT_EQUAL(sent, room);
}

static void a_size_that_changes_while_it_is_read_is_never_too_large(void) {
    static uint8_t bytes[1400];
    for (size_t first = 1; first < 600; first += 17) {
        start(1);
        connect(0);
        chip_receive(0, bytes, first);
        chip_receive_during_reading(0, bytes, 700);
        EXPECT(socket_received(0) <= first + 700);
        EXPECT_EQUAL(socket_received(0), first + 700);
    }
}

static void a_datagram_goes_to_its_peer(void) {
    static const uint8_t peer[4] = {10, 1, 2, 3};
    uint32_t address;
    size_t sent;
    start(2);
    EXPECT(socket_open_udp(1, 5001));
    memcpy(&address, peer, 4);
    socket_set_peer(1, address, 0x8001);
    EXPECT(socket_room(1, 5) >= 5);
    socket_write(1, (const uint8_t *)"hello", 5);
    EXPECT(socket_send(1));
    EXPECT(!memcmp(chip_sent(1, &sent), "hello", 5));
    EXPECT(!memcmp(chip_socket(1, 0x0c), peer, 4));
    EXPECT_EQUAL(*chip_socket(1, 0x10) << 8 | *chip_socket(1, 0x11), 0x8001);
}

int main(void) {
    a_chip_that_answers_is_found_and_gets_its_addresses();
    a_chip_that_is_not_there_is_given_up_in_time();
#ifndef BOARD_WIZNET_W5100
    a_chip_without_a_link_says_so();
#endif
    memory_is_shared_by_all_that_are_used();
    a_listening_socket_takes_a_connection();
    for (unsigned used = 1; used <= socket_count(); used *= 2) {
        for (unsigned socket = 0; socket < used; socket++) {
            start(used);
            what_is_written_is_sent_across_the_end_of_the_memory(socket);
            what_comes_in_is_read_across_the_end_of_the_memory(socket);
            EXPECT_EQUAL(chip_faults, 0);
        }
    }
    no_more_is_sent_while_a_send_is_under_way();
    a_send_that_the_chip_does_not_take_is_made_again();
    a_write_takes_no_more_than_there_is_room_for();
    a_size_that_changes_while_it_is_read_is_never_too_large();
    a_datagram_goes_to_its_peer();
    EXPECT_EQUAL(chip_faults, 0);
    int driver = expect_result(), frames = test_macraw();
    return driver || frames;
}

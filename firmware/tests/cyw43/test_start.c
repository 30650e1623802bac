/* From power to a station: what goes to the chip, and that every wait for one that is ill has an end. */
#include "cyw43_frames.h"
#include "expect.h"
#include "radio_under_test.h"

static void what_is_uploaded_lies_in_the_chips_memory(void) {
    EXPECT_EQUAL(start_radio(RADIO_WELL), CYW43_READY);
    EXPECT_EQUAL(cyw43_bus_hz(&cyw43), 33300000);
    EXPECT(!memcmp(radio.memory, firmware_words, sizeof firmware_words));
    size_t end = RADIO_MEMORY_BYTES - 4;
    EXPECT(!memcmp(radio.memory + end - sizeof nvram_words, nvram_words, sizeof nvram_words));
    EXPECT_EQUAL(radio.memory[end] | radio.memory[end + 1] << 8, sizeof nvram_words / 4);
    EXPECT_EQUAL(radio.memory[end + 2] | radio.memory[end + 3] << 8, 0xffff - sizeof nvram_words / 4);
    EXPECT_EQUAL(radio.mistakes, 0);
    EXPECT(radio.now_us < 1000000);
}

static void the_table_of_countries_comes_in_pieces(void) {
    uint8_t whole[sizeof clm_words];
    size_t done = 0;
    for (size_t n = 0; n < radio.request_count; n++) {
        const struct radio_request *request = &radio.requests[n];
        if (strcmp(request->name, "clmload") == 0) {
            size_t bytes = request->content[4] | request->content[5] << 8;
            bool is_first = done == 0, is_last = done + bytes == sizeof whole;
            EXPECT_EQUAL(request->content[0] | request->content[1] << 8, 0x1000 | is_first << 1 | is_last << 2);
            EXPECT(bytes <= 1024 && bytes == request->bytes - 12 && done + bytes <= sizeof whole);
            memcpy(whole + done, request->content + 12, bytes);
            done += bytes;
        }
    }
    EXPECT_EQUAL(done, sizeof whole);
    EXPECT(!memcmp(whole, clm_words, sizeof whole));
    EXPECT(radio_asked(&radio, "clmload_status", 262) != NULL);
}

static void it_is_asked_for_its_country_and_its_events_before_it_goes_up(void) {
    const struct radio_request *country = radio_asked(&radio, "country", 263);
    EXPECT(country && !memcmp(country->content,
                              "DE\0\0\xff\xff\xff\xff"
                              "DE\0\0",
                              12));
    const struct radio_request *events = radio_asked(&radio, "bsscfg:event_msgs", 263);
    const uint8_t wanted[] = {0, 3, 6, 12, 16, 46};
    for (unsigned n = 0; events && n < sizeof wanted; n++) {
        EXPECT(events->content[4 + wanted[n] / 8] >> wanted[n] % 8 & 1);
    }
    const struct radio_request *last = &radio.requests[radio.request_count - 1];
    EXPECT_EQUAL(last->command, 2);
    EXPECT(radio_asked(&radio, "bus:txglom", 263) != NULL);
}

static void its_address_is_its_own_or_the_one_that_it_was_given(void) {
    static const uint8_t own[6] = {0x28, 0xcd, 0xc1, 1, 2, 3};
    EXPECT(!memcmp(cyw43_mac(&cyw43), given_mac, 6) && !memcmp(radio.mac, given_mac, 6));
    prepare_radio(RADIO_WELL);
    EXPECT_EQUAL(cyw43_start(&cyw43, 60000000, NULL, "XX"), CYW43_READY);
    EXPECT(!memcmp(cyw43_mac(&cyw43), own, 6));
    EXPECT_EQUAL(cyw43_bus_hz(&cyw43), CYW43_MOST_BUS_HZ);
}

static void a_chip_that_is_ill_is_given_up_in_time(void) {
    static const struct {
        enum radio_illness illness;
        enum cyw43_fault fault;
    } cases[] = {{RADIO_ABSENT, CYW43_NO_CHIP},         {RADIO_STUCK, CYW43_NO_CHIP},
                 {RADIO_NO_SLOW_CLOCK, CYW43_NO_CLOCK}, {RADIO_NO_FAST_CLOCK, CYW43_NO_FIRMWARE},
                 {RADIO_NO_PACKETS, CYW43_NO_FIRMWARE}, {RADIO_SILENT, CYW43_NO_REGIONS},
                 {RADIO_REFUSES, CYW43_NO_REGIONS},     {RADIO_NO_REGIONS, CYW43_NO_REGIONS}};
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        EXPECT_EQUAL(start_radio(cases[n].illness), cases[n].fault);
        EXPECT(radio.now_us < 3000000);
        EXPECT(radio.transactions < 20000);
        EXPECT(*cyw43_sentence(cases[n].fault));
        /* Nothing is asked of it afterwards. */
        unsigned before = radio.transactions;
        cyw43_join(&cyw43, &home);
        cyw43_tend(&cyw43);
        EXPECT(!cyw43_leave(&cyw43));
        EXPECT_EQUAL(radio.transactions, before);
    }
}

static void one_that_does_not_answer_behind_its_table_is_given_up_too(void) {
    prepare_radio(RADIO_SILENT);
    static const struct cyw43_image without_table = {.firmware = firmware_words,
                                                     .firmware_bytes = sizeof firmware_words,
                                                     .nvram = nvram_words,
                                                     .nvram_bytes = sizeof nvram_words};
    cyw43.image = &without_table;
    EXPECT_EQUAL(cyw43_start(&cyw43, 33300000, given_mac, "DE"), CYW43_NO_ANSWER);
    EXPECT(radio.now_us < 3000000);
}

static void power_save_and_outputs_are_what_was_asked_for(void) {
    start_radio(RADIO_WELL);
    EXPECT(cyw43_save_power(&cyw43, CYW43_PM_2, 205));
    EXPECT_EQUAL(radio_asked(&radio, "pm2_sleep_ret", 263)->content[0], 200);
    EXPECT_EQUAL(radio_asked(&radio, NULL, 86)->content[0], 2);
    EXPECT(cyw43_save_power(&cyw43, CYW43_PM_OFF, 0));
    EXPECT_EQUAL(radio_asked(&radio, NULL, 86)->content[0], 0);
    EXPECT(cyw43_set_outputs(&cyw43, 1, 1));
    EXPECT_EQUAL(radio.outputs, 1);
    EXPECT(cyw43_set_outputs(&cyw43, 3, 2));
    EXPECT_EQUAL(radio.outputs, 2);
    EXPECT_EQUAL(cyw43_rssi_dbm(&cyw43), 0);
    EXPECT_EQUAL(radio.mistakes, 0);
}

int main(void) {
    what_is_uploaded_lies_in_the_chips_memory();
    the_table_of_countries_comes_in_pieces();
    it_is_asked_for_its_country_and_its_events_before_it_goes_up();
    its_address_is_its_own_or_the_one_that_it_was_given();
    a_chip_that_is_ill_is_given_up_in_time();
    one_that_does_not_answer_behind_its_table_is_given_up_too();
    power_save_and_outputs_are_what_was_asked_for();
    return expect_result();
}

/* The ping-pong client again, with settings: words in flash that a suite, or airwire board run --set, changes before the
 * image starts. Each of them is one of the mistakes that slow drivers down. */
#include "pingpong.h"

#define SETTING(name, value) const volatile uint32_t setting_##name = (value)

SETTING(spi_hz, 33250000);
/* Sleeps so long between looks at the chip; 0 looks all the time. */
SETTING(poll_ms, 0);
/* Sleeps until INTn instead. */
SETTING(interrupts, 0);
/* Sleeps so long after each SEND. */
SETTING(after_send_ms, 0);
/* Prints every message. */
SETTING(print, 0);
SETTING(rounds, 1000);
SETTING(port, 5000);
/* In the order of memory: the first octet first. */
SETTING(server_address, 192u | 168u << 8 | 1u << 16 | 1u << 24);

#define FIRST_PRESCALE 2u
#define LAST_PRESCALE 254u
#define LARGEST_RATE 256u

/* The fastest clock not above the setting (RP2040 datasheet 4.4.3.4). */
static void set_spi_clock(uint32_t hz) {
    for (uint32_t prescale = FIRST_PRESCALE; prescale <= LAST_PRESCALE; prescale += 2) {
        uint32_t rate = (SYSTEM_HZ + prescale * hz - 1) / (prescale * hz);
        if (rate <= LARGEST_RATE) {
            SPI0_SSPCPSR = prescale;
            SPI0_SSPCR0 = (rate - 1) << 8 | 7;
            return;
        }
    }
    give_up("the SPI cannot be that slow");
}

/* Without a look at INTn. */
static void sleep_ms(uint32_t milliseconds) {
    uint32_t from = time_us();
    while (time_us() - from < milliseconds * 1000u) {
        wiznet_sleep(milliseconds * 1000u - (time_us() - from));
    }
}

static uint32_t server(void) {
    uint32_t octets = setting_server_address;
    return ADDRESS(octets & 0xff, octets >> 8 & 0xff, octets >> 16 & 0xff, octets >> 24);
}

int main(void) {
    wiznet_begin();
    set_spi_clock(setting_spi_hz);
    connect_to(server(), (uint16_t)setting_port, setting_interrupts != 0);
    uint32_t number = 1, errors = 0;
    for (uint32_t round = 0; round < setting_rounds; round++) {
        send_number(number);
        sleep_ms(setting_after_send_ms);
        uint32_t answer = read_answer(setting_interrupts != 0, setting_poll_ms);
        errors += answer != number + 1;
        number = answer + 1;
        if (setting_print) {
            put_named("the server answered with the number", answer);
        }
    }
    put_named("errors", errors);
    socket_command(SOCKET, CR_DISCON);
    wiznet_finish();
}

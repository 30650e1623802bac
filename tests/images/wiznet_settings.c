/* The ping-pong client again, with settings: words in flash that a suite, or airwire board run --set, changes before the
 * image starts. Each of them is one of the mistakes that slow drivers down. */
#include "text.h"
#include "wiznet.h"

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

#define SOCKET 0u
#define OWN_PORT 50000u
#define LIMIT_US 40000000u
#define MESSAGE_BYTES 16u
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

static uint32_t wait_for_answer(void) {
    uint32_t from = time_us();
    while (time_us() - from < LIMIT_US) {
        if (setting_interrupts) {
            wiznet_sleep(LIMIT_US);
            socket_take_interrupts(SOCKET);
        }
        uint32_t count = socket_received(SOCKET);
        if (count) {
            return count;
        }
        if (setting_poll_ms) {
            wiznet_sleep(setting_poll_ms * 1000u);
        }
        if (read8(Sn_SR(SOCKET)) != SR_ESTABLISHED) {
            give_up("the connection ended");
        }
    }
    give_up("no answer");
}

static uint32_t read_answer(void) {
    char text[MESSAGE_BYTES];
    uint32_t count = wait_for_answer(), value = 0;
    count = count < sizeof text ? count : sizeof text;
    socket_get(SOCKET, text, count);
    socket_command(SOCKET, CR_RECV);
    for (uint32_t index = 0; index < count; index++) {
        value = value * 10 + (uint32_t)(text[index] - '0');
    }
    return value;
}

/* Without a look at INTn. */
static void sleep_ms(uint32_t milliseconds) {
    uint32_t from = time_us();
    while (time_us() - from < milliseconds * 1000u) {
        wiznet_sleep(milliseconds * 1000u - (time_us() - from));
    }
}

static void send_number(uint32_t number) {
    char text[MESSAGE_BYTES];
    socket_put(SOCKET, text, (uint32_t)(append_decimal(text, number) - text));
    socket_command(SOCKET, CR_SEND);
    if (setting_after_send_ms) {
        sleep_ms(setting_after_send_ms);
    }
}

static uint32_t server(void) {
    uint32_t octets = setting_server_address;
    return ADDRESS(octets & 0xff, octets >> 8 & 0xff, octets >> 16 & 0xff, octets >> 24);
}

int main(void) {
    wiznet_begin();
    set_spi_clock(setting_spi_hz);
    if (setting_interrupts) {
        wiznet_interrupts_start();
        write8(Sn_IMR(SOCKET), IR_RECV | IR_DISCON | IR_TIMEOUT);
    }
    if (socket_open(SOCKET, MR_TCP, OWN_PORT) != SR_INIT) {
        give_up("the socket does not open");
    }
    socket_connect(SOCKET, server(), (uint16_t)setting_port);
    while (read8(Sn_SR(SOCKET)) != SR_ESTABLISHED) {
        if (read8(Sn_SR(SOCKET)) == SR_CLOSED) {
            give_up("no connection");
        }
    }
    uint32_t number = 1, errors = 0;
    for (uint32_t round = 0; round < setting_rounds; round++) {
        send_number(number);
        uint32_t answer = read_answer();
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

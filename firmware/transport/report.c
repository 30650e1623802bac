/* Implementation of report.h. */
#include "report.h"

#include "clock.h"
#include "console.h"
#include "network.h"
#include "network_settings.h"
#include "watchdog.h"

void report_start(const char *application, const char *transport, const char *chip, uint32_t spi_hz) {
    console_text(application);
    console_text(" by ");
    console_text(transport);
    console_text(", ");
    console_text(chip);
    if (spi_hz) {
        console_text(" at ");
        console_number(spi_hz / 1000u);
        console_text(" kHz SPI");
    }
    console_put('\n');
    if (watchdog_has_fired()) {
        report_problem("the watchdog has started the board anew");
    }
}

void report_ready(void) {
    console_text("ready at ");
    console_address(network_address());
    console_text(" after ");
    console_number(clock_ms() - setting_clock_start_ms);
    console_text(" ms\n");
}

void report_problem(const char *sentence) {
    console_text("error: ");
    console_text(sentence);
    console_put('\n');
}

/* The start of the chip of frames, for which an image whose stack is software waits. */
#ifndef START_FRAMES_H
#define START_FRAMES_H

#include "clock.h"
#include "frames.h"
#include "network_settings.h"
#include "report.h"
#include "watchdog.h"

static void start_chip(const char *application, const char *transport) {
    const uint8_t mac[6] = NETWORK_MAC;
#ifdef SPI_WITHOUT_DMA
    const struct frames_bus bus = {setting_spi_hz, 0};
#else
    const struct frames_bus bus = {setting_spi_hz, setting_spi_dma_from_bytes};
#endif
    while (frames_start(mac, &bus) != FRAMES_READY) {
        watchdog_feed();
        report_start(application, transport, frames_chip_name(), frames_spi_hz());
        report_problem(frames_sentence(FRAMES_NO_CHIP));
        clock_sleep(1000000);
    }
    report_start(application, transport, frames_chip_name(), frames_spi_hz());
}

#endif

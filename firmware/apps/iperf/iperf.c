/* iperf 2: a server for TCP and UDP, or a client of either, as the setting `role` says. Results go to the console: of
 * each interval, and of the whole. */
#include "iperf.h"
#include "application.h"

#include "console.h"
#include "network.h"
#include "rate.h"
#include "settings.h"

SETTING(role, ROLE_SERVER, "choice server|tcp_client|udp_client", "what it is");

void tell_report(const struct iperf_report *report) {
    rate_report("UDP server, whole", report->bytes, report->time_us);
    console_text("UDP server, jitter ");
    console_number(report->jitter_us);
    console_text(" us, lost ");
    console_number(report->lost);
    console_text(" of ");
    console_number(report->datagrams);
    console_named(", out of order", report->out_of_order);
}

static uint32_t tick(uint32_t now_ms) {
    switch (setting_role) {
    case ROLE_TCP_CLIENT:
        return tcp_client_tick(now_ms);
    case ROLE_UDP_CLIENT:
        return udp_client_tick(now_ms);
    default:
        return server_tick(now_ms);
    }
}

static void start(void) {
    bool is_started = setting_role == ROLE_TCP_CLIENT   ? tcp_client_start()
                      : setting_role == ROLE_UDP_CLIENT ? udp_client_start()
                                                        : server_start();
    if (!is_started) {
        console_text("error: there is no room for one more socket\n");
    }
}

const struct application application = {"iperf 2", start, tick};

/* iperf's server for TCP in the shape that servers on lwIP's raw interface usually have: bytes are done with in the
 * callback that brings them, and one loop asks for frames and timers and never sleeps. It has no transport below it, so
 * that nothing stands between a frame and its acknowledgement; what the transport costs is the difference to
 * apps/iperf. */
#include "clock.h"
#include "console.h"
#include "interface.h"
#include "iperf_header.h"
#include "lwip/pbuf.h"
#include "lwip/tcp.h"
#include "lwip/timeouts.h"
#include "network.h"
#include "network_settings.h"
#include "rate.h"
#include "report.h"
#include "settings.h"
#include "watchdog.h"

SETTING(port, IPERF_PORT, "port 1..65535", "the server's port");

#define FRAMES_AT_A_TIME 8u
#define MOST_US 1000000u

static uint64_t bytes, time_us;
static uint32_t last_us;

static err_t received(void *argument, struct tcp_pcb *pcb, struct pbuf *chain, err_t error) {
    (void)argument;
    (void)error;
    if (!chain) {
        tcp_recv(pcb, NULL);
        rate_report("TCP server, whole", bytes, time_us);
        return tcp_close(pcb);
    }
    uint32_t now_us = clock_us();
    bytes += chain->tot_len;
    time_us += now_us - last_us;
    last_us = now_us;
    tcp_recved(pcb, chain->tot_len);
    pbuf_free(chain);
    return ERR_OK;
}

static err_t accepted(void *argument, struct tcp_pcb *pcb, err_t error) {
    (void)argument;
    if (error != ERR_OK || !pcb) {
        return ERR_VAL;
    }
    bytes = time_us = 0;
    last_us = clock_us();
    tcp_recv(pcb, received);
    return ERR_OK;
}

/* What transport/report.c asks the transport for, which there is none of. */
uint32_t network_address(void) { return interface_address(); }

static bool listens(void) {
    struct tcp_pcb *pcb = tcp_new();
    if (!pcb || tcp_bind(pcb, IP_ADDR_ANY, (uint16_t)setting_port) != ERR_OK) {
        return false;
    }
    pcb = tcp_listen(pcb);
    if (pcb) {
        tcp_accept(pcb, accepted);
    }
    return pcb != NULL;
}

static void turn(void) {
    watchdog_feed();
    interface_receive(FRAMES_AT_A_TIME);
    sys_check_timeouts();
}

int main(void) {
    clock_start();
    interface_start("iperf's server in callbacks", "lwIP's raw interface");
    for (uint32_t from = clock_us(); !interface_is_ready();) {
        turn();
        if (clock_is_over(from, MOST_US)) {
            from = clock_us();
            report_problem(interface_sentence());
        }
    }
    report_ready();
    if (!listens()) {
        report_problem("There is no memory for a server.");
    }
    for (;;) {
        turn();
    }
}

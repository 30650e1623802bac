/* The roles of this application; each begins by its start(), false when there is no room for a socket. */
#ifndef IPERF_H
#define IPERF_H

#include "iperf_header.h"

enum role { ROLE_SERVER, ROLE_TCP_CLIENT, ROLE_UDP_CLIENT };

bool server_start(void);
uint32_t server_tick(uint32_t now_ms);
bool tcp_client_start(void);
uint32_t tcp_client_tick(uint32_t now_ms);
bool udp_client_start(void);
uint32_t udp_client_tick(uint32_t now_ms);

/* Prints what a UDP server found of a whole test. */
void tell_report(const struct iperf_report *report);

#endif

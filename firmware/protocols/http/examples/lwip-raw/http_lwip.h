/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The HTTP server on lwIP's raw interface: for a program whose loop feeds the network interface and calls
 * sys_check_timeouts(). */
#ifndef HTTP_LWIP_H
#define HTTP_LWIP_H

#include "http.h"
#include "lwip/err.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Serves on that port from here on. `server` must stay where it is. */
err_t http_lwip_start(const struct http_server *server, uint16_t port);

#ifdef __cplusplus
}
#endif

#endif

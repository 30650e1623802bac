/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Implementation of http_lwip.h. What lwIP has received waits in its own buffers until the server takes it, so that the
 * peer's window closes where the server is slow. */
#include "http_lwip.h"

#include "lwip/pbuf.h"
#include "lwip/sys.h"
#include "lwip/tcp.h"

#ifndef HTTP_LWIP_CLIENTS
#define HTTP_LWIP_CLIENTS 4u
#endif
/* Deadlines are looked at each half second. */
#define POLL_INTERVAL 1u
/* How long a client that was answered may still send, so that no reset overtakes the answer (RFC 9112 9.6). */
#define DRAIN_MS 1000u

static struct client {
    struct tcp_pcb *pcb; /* null for one that nobody has */
    struct pbuf *waiting;
    struct http_connection http;
    bool has_ended, is_draining;
    uint32_t drained_ms;
} clients[HTTP_LWIP_CLIENTS];
static const struct http_server *pages;

static void forget(struct client *client) {
    if (client->waiting) {
        pbuf_free(client->waiting);
    }
    client->waiting = NULL;
    client->pcb = NULL;
}

/* Returns what a callback of lwIP has to return: it wants to know of a connection that was aborted. */
static err_t leave(struct client *client) {
    struct tcp_pcb *pcb = client->pcb;
    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_sent(pcb, NULL);
    tcp_err(pcb, NULL);
    tcp_poll(pcb, NULL, 0);
    forget(client);
    if (tcp_close(pcb) == ERR_OK) {
        return ERR_OK;
    }
    tcp_abort(pcb);
    return ERR_ABRT;
}

/* Whether everything that is to be sent now is with lwIP. What lies in flash it need not copy. */
static bool send_pending(struct client *client) {
    const uint8_t *bytes;
    size_t count;
    while ((count = http_pending(&client->http, &bytes)) > 0) {
        size_t room = tcp_sndbuf(client->pcb);
        bool is_own = (uintptr_t)bytes - (uintptr_t)&client->http < sizeof client->http;
        count = count < room ? count : room;
        if (!count || tcp_write(client->pcb, bytes, (u16_t)count, is_own ? TCP_WRITE_FLAG_COPY : 0) != ERR_OK) {
            return false;
        }
        http_sent(&client->http, count, sys_now());
    }
    return true;
}

static void drop(struct client *client, size_t count) {
    client->waiting = pbuf_free_header(client->waiting, (u16_t)count);
    tcp_recved(client->pcb, (u16_t)count);
}

/* Gives the server what came, and the client what the server has to say, until one of them has no more. */
static void pump(struct client *client) {
    while (!client->is_draining && send_pending(client)) {
        if (http_is_finished(&client->http)) {
            client->is_draining = tcp_shutdown(client->pcb, 0, 1) == ERR_OK;
            client->drained_ms = sys_now();
            break;
        }
        if (!client->waiting) {
            break;
        }
        size_t taken = http_receive(&client->http, client->waiting->payload, client->waiting->len, sys_now());
        drop(client, taken);
        if (!taken) {
            break;
        }
    }
    while (client->is_draining && client->waiting) {
        drop(client, client->waiting->len);
    }
    tcp_output(client->pcb);
}

static err_t pump_and_leave(struct client *client) {
    const uint8_t *bytes;
    pump(client);
    if (client->has_ended && (client->is_draining || !http_pending(&client->http, &bytes))) {
        return leave(client);
    }
    return ERR_OK;
}

static err_t on_received(void *argument, struct tcp_pcb *pcb, struct pbuf *bytes, err_t error) {
    struct client *client = argument;
    (void)pcb;
    (void)error;
    if (!bytes) {
        client->has_ended = true;
    } else if (client->waiting) {
        pbuf_cat(client->waiting, bytes);
    } else {
        client->waiting = bytes;
    }
    return pump_and_leave(client);
}

static err_t on_sent(void *argument, struct tcp_pcb *pcb, u16_t bytes) {
    (void)pcb;
    (void)bytes;
    return pump_and_leave(argument);
}

static err_t on_poll(void *argument, struct tcp_pcb *pcb) {
    struct client *client = argument;
    (void)pcb;
    bool is_drained = client->is_draining && sys_now() - client->drained_ms >= DRAIN_MS;
    if (is_drained || http_is_overdue(&client->http, sys_now())) {
        return leave(client);
    }
    return pump_and_leave(client);
}

/* lwIP has freed the connection already. */
static void on_error(void *argument, err_t error) {
    (void)error;
    forget(argument);
}

static err_t turn_away(struct tcp_pcb *pcb) {
    const uint8_t *sentence;
    size_t count = http_busy_answer(&sentence);
    if (tcp_write(pcb, sentence, (u16_t)count, 0) == ERR_OK && tcp_close(pcb) == ERR_OK) {
        return ERR_OK;
    }
    tcp_abort(pcb);
    return ERR_ABRT;
}

static err_t on_accepted(void *argument, struct tcp_pcb *pcb, err_t error) {
    (void)argument;
    if (error != ERR_OK || !pcb) {
        return ERR_VAL;
    }
    for (unsigned n = 0; n < HTTP_LWIP_CLIENTS; n++) {
        struct client *client = &clients[n];
        if (client->pcb) {
            continue;
        }
        client->pcb = pcb;
        client->has_ended = client->is_draining = false;
        http_open(&client->http, pages, sys_now());
        tcp_arg(pcb, client);
        tcp_recv(pcb, on_received);
        tcp_sent(pcb, on_sent);
        tcp_err(pcb, on_error);
        tcp_poll(pcb, on_poll, POLL_INTERVAL);
        tcp_nagle_disable(pcb);
        return ERR_OK;
    }
    return turn_away(pcb);
}

err_t http_lwip_start(const struct http_server *server, uint16_t port) {
    struct tcp_pcb *pcb = tcp_new();
    if (!pcb) {
        return ERR_MEM;
    }
    pages = server;
    err_t error = tcp_bind(pcb, IP_ADDR_ANY, port);
    struct tcp_pcb *listener = error == ERR_OK ? tcp_listen_with_backlog_and_err(pcb, HTTP_LWIP_CLIENTS, &error) : NULL;
    if (!listener) {
        tcp_close(pcb);
        return error;
    }
    tcp_accept(listener, on_accepted);
    return ERR_OK;
}

/* What an application sees of the network, whichever way it is reached: the chip's own sockets (hardware/), lwIP's raw
 * interface (lwip_raw/), lwIP's sockets on FreeRTOS (lwip_sockets/), a small stack of our own (small/), or the sockets
 * of a PC (posix/). An image is one application on one of them.
 *
 * Everything happens in one place: network_run() calls an application's functions one after the other, and they do not
 * wait. Addresses lie as on the wire, the first octet lowest in memory; ports are numbers. */
#ifndef NETWORK_H
#define NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a stream is over. */
enum stream_end {
    STREAM_ENDED,   /* the peer has sent everything and says so; what was written still goes out */
    STREAM_CLOSED,  /* both sides are done */
    STREAM_REFUSED, /* nobody listens there, or nobody answers */
    STREAM_RESET,   /* the peer forgot it, or is gone */
};

/* One TCP connection. `context` is the application's. */
struct stream {
    const struct stream_user *user;
    void *context;
    uint16_t own_port;
};

/* What an application wants to hear of its streams; null for what it does not. */
struct stream_user {
    void (*opened)(struct stream *);
    /* Bytes can be read, or stream_read() says that nothing more comes. */
    void (*readable)(struct stream *);
    /* There is room again after stream_write() took less than it was given; and all that was written has gone out. */
    void (*writable)(struct stream *);
    /* After STREAM_ENDED the application may still write, and closes; after the others the stream is gone. */
    void (*ended)(struct stream *, enum stream_end);
};

/* Takes connections on a port, over IPv6 too where the image has it: several at a time where there is room, on the
 * chip's own sockets one for each time that it is called. False when there is no room for one more. */
bool network_listen(uint16_t port, const struct stream_user *user);
/* Begins a connection; null when there is no room for it. */
struct stream *network_connect(uint32_t address, uint16_t port, const struct stream_user *user, void *context);

/* Reads what has come in, at most `capacity` bytes; `bytes` may be null to drop them. */
size_t stream_read(struct stream *, void *bytes, size_t capacity);
/* Whether `readable` is called again while bytes are left that were not read; else only when more come. */
extern const bool network_tells_again;
/* Writes as much as there is room for; the rest after `writable`. It leaves when the application's function returns. */
size_t stream_write(struct stream *, const void *bytes, size_t count);
/* The same for bytes that stay where they are for good, as pages in flash do: in an address space of its own where the
 * processor has one for them. */
#ifndef NETWORK_CONSTANT
#define NETWORK_CONSTANT
#endif
size_t stream_write_constant(struct stream *, const NETWORK_CONSTANT void *bytes, size_t count);
/* So many bytes stream_write() would take now. */
size_t stream_room(struct stream *);
/* Sends what was written, then says to the peer that nothing more comes. `ended` is not called any more. */
void stream_close(struct stream *);
/* Forgets the connection at once. */
void stream_abort(struct stream *);
/* Whom it is connected with; the address of a peer over IPv6 is told as 0. */
void stream_peer(struct stream *, uint32_t *address, uint16_t *port);

/* A UDP port. */
struct datagrams;
/* Where a datagram came from, or goes to. */
struct endpoint {
    uint32_t address;
    uint16_t port;
};
typedef void datagram_user(void *context, const struct endpoint *from, const uint8_t *bytes, size_t count);

/* The largest datagram that is handed on; longer ones are dropped. */
#define DATAGRAM_MOST_BYTES 1472u

/* Null when there is no room for one more. */
struct datagrams *network_bind(uint16_t port, datagram_user *received, void *context);
/* False when there was no room; then it was not sent. */
bool datagram_send(struct datagrams *, const struct endpoint *to, const uint8_t *bytes, size_t count);

/* The own address; 0 when there is none yet. */
uint32_t network_address(void);

/* An application: started when the network is ready, then called again after as many milliseconds as it last said, or
 * later; NETWORK_NEVER for not any more. */
#define NETWORK_NEVER UINT32_MAX
struct application {
    const char *name;
    void (*start)(void);
    uint32_t (*tick)(uint32_t now_ms);
};
/* Starts the board and runs the application for good; a PC's transport returns with SIGTERM. A program calls it from
 * its main() (apps/main.c). */
void network_run(const struct application *application);

/* Has `tick` called as soon as the application's function has returned. Interrupt handlers may call it too. */
void network_call_soon(void);

#endif

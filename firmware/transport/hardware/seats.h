/* The chip's sockets, each a seat for one stream, for a port that is listened on while nobody is connected, or for
 * datagrams. streams.c and datagrams.c say what happens on them, network.c when. */
#ifndef SEATS_H
#define SEATS_H

#include "network.h"
#include "wiznet_sockets.h"

#ifndef NETWORK_SOCKETS
#define NETWORK_SOCKETS 8u
#endif

enum role { FREE, LISTENER, CLIENT, DATAGRAMS };

struct datagrams {
    datagram_user *received;
    void *context;
    struct endpoint peer; /* as the chip has it */
};

struct seat {
    struct stream stream;
    struct datagrams datagrams;
    /* Set by network_bind(), so that images without UDP have none of its code. */
    void (*serve_datagrams)(struct seat *);
    uint16_t port;
    uint8_t role;
    bool is_open, has_ended, wants_room, is_closing;
    /* That datagrams are there, where datagram_send() has taken the event that said so. That what was written must be
     * sent yet, as what was written before has not left. */
    bool has_datagrams, must_send;
    /* Since then the chip takes leave of the peer; no interrupt tells when it is done. */
    bool is_leaving;
    uint32_t leaving_from_ms;
};
extern struct seat seats[NETWORK_SOCKETS];

/* How many there are of them: no more than the chip has sockets. */
unsigned seats_in_all(void);
/* One that nobody has, or null. */
struct seat *seat_free(void);
/* The socket's number. */
static inline unsigned seat_number(const struct seat *seat) { return (unsigned)(seat - seats); }

/* Everything that a socket's events mean for its stream. */
void stream_serve(struct seat *seat, uint8_t events, enum wiznet_socket_state state);
/* Sends what applications have written. */
void streams_flush(void);

#endif

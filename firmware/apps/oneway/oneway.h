/* The parts of this application: oneway.c has pins and counts, each way of the message a file. */
#ifndef ONEWAY_H
#define ONEWAY_H

#include "network.h"
#include "oneway_message.h"

enum role { ROLE_SENDER, ROLE_RECEIVER };
enum transport { TRANSPORT_TCP, TRANSPORT_UDP, TRANSPORT_UART };

struct way {
    bool (*start)(bool is_sender);
    /* False when it could not be sent whole. */
    bool (*send)(const uint8_t *bytes, size_t count);
    /* As an application's; may be null. */
    uint32_t (*tick)(uint32_t now_ms);
};
extern const struct way way_tcp, way_udp, way_uart;

/* What a way tells: something comes in; it was a message; it was none. */
void oneway_began(void);
void oneway_arrived(const struct oneway_message *message);
void oneway_was_wrong(void);
/* The same of bytes of a stream or a line, in which messages are found. */
void oneway_came(struct oneway_receiver *receiver, const uint8_t *bytes, size_t count);

#endif

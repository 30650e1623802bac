/* Segments of TCP in the small stack's frame, for its TCP itself. */
#ifndef SEGMENT_H
#define SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLAG_FIN 0x01u
#define FLAG_SYN 0x02u
#define FLAG_RST 0x04u
#define FLAG_PSH 0x08u
#define FLAG_ACK 0x10u

/* One that came in. */
struct segment {
    uint32_t peer, sequence, acknowledged;
    uint16_t own_port, peer_port, window, mss; /* MSS where it is a SYN */
    uint16_t payload_at, count;
    uint8_t flags;
};

/* Reads the segment of so many bytes; false where it is none, or its checksum is wrong. */
bool segment_read(struct segment *segment, size_t bytes);

/* What goes out. Its payload stands in the frame already, behind a header without options. */
struct outgoing {
    const uint8_t *mac;
    uint32_t peer, sequence, acknowledged;
    uint16_t own_port, peer_port, window, count;
    uint8_t flags;
};
#define SEGMENT_PAYLOAD TCP_OPTIONS
/* Writes it; a SYN says `mss` in its options. Returns the bytes of the frame. */
size_t segment_write(const struct outgoing *outgoing, uint16_t mss);
/* Refuses what came in where no connection is, in its place (RFC 9293 3.10.7.1). */
size_t segment_refuse(const struct segment *segment);

#endif

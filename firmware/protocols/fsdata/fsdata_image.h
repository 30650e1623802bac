/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The image that `airwire fsdata` makes of a folder of web pages, read in place.
 *
 * Stands between the image in flash and the HTTP server. fsdata_open() checks every offset once; after that nothing is
 * checked again, because an image is constant. Leaves out what the server decides: which variant to send, and to whom.
 * The format is described in python/airwire/fsdata/__init__.py. */
#ifndef AIRWIRE_FSDATA_IMAGE_H
#define AIRWIRE_FSDATA_IMAGE_H

#include "fsdata_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FSDATA_NONE 0xFFFFu
#define FSDATA_NO_TAG 0xFFu
#define FSDATA_TAG_LIMIT 254u /* numbers below it are tags */
#define FSDATA_ETAG_DIGITS 16u

struct fsdata {
    const FSDATA_CONSTANT uint8_t *image;
    const FSDATA_CONSTANT uint8_t *files;
    const FSDATA_CONSTANT uint8_t *tags;
    uint32_t bytes;
    uint16_t file_count;
    uint16_t tag_count;
    uint16_t not_found; /* the page for 404, or FSDATA_NONE */
};

/* Head, blank line and body stand in one run of bytes from `head` on. */
struct fsdata_body {
    const FSDATA_CONSTANT uint8_t *head;
    uint32_t body_bytes;
    uint16_t head_bytes; /* without the blank line's CR LF */
    uint16_t validators; /* where in the head the lines begin that a 304 repeats, ETag first; 0: none */
};

enum fsdata_fault {
    FSDATA_SOUND,
    FSDATA_NOT_AN_IMAGE,  /* no magic, too short, or not at a multiple of four bytes */
    FSDATA_OTHER_VERSION, /* made by another version of `airwire fsdata` */
    FSDATA_OUT_OF_BOUNDS, /* cut off, or an offset leads out of it */
};

/* `fs` is filled in only when the image is sound. */
enum fsdata_fault fsdata_open(struct fsdata *fs, const FSDATA_CONSTANT void *image, size_t bytes);

/* Whether the contents are those that were made: a CRC-32 over all of them, for a check at start. */
bool fsdata_is_intact(const struct fsdata *fs);

/* The path of a file, ended by a zero byte. */
const FSDATA_CONSTANT char *fsdata_name(const struct fsdata *fs, unsigned file);

/* The number of the file with this path, or FSDATA_NONE. */
unsigned fsdata_find(const struct fsdata *fs, const char *path);

/* Whether the file has this variant; if so, where. */
bool fsdata_body(const struct fsdata *fs, unsigned file, bool gzip, struct fsdata_body *body);

/* The pieces of a page with tags, NULL for a file without. The body holds the literal text of all pieces. */
const FSDATA_CONSTANT uint8_t *fsdata_pieces(const struct fsdata *fs, unsigned file, uint16_t *count);

/* One piece: so much literal text, then a tag or FSDATA_NO_TAG. */
uint32_t fsdata_piece_bytes(const FSDATA_CONSTANT uint8_t *pieces, unsigned piece);
unsigned fsdata_piece_tag(const FSDATA_CONSTANT uint8_t *pieces, unsigned piece);

/* The CRC-32 of the body of a file, or of its literal text, as `airwire fsdata --manifest` shows it. */
uint32_t fsdata_crc32(const struct fsdata *fs, unsigned file);

const FSDATA_CONSTANT char *fsdata_tag_name(const struct fsdata *fs, unsigned tag);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Reading an image of web pages; see the header. Words are little-endian and aligned, as the processor's own. */
#include "fsdata_image.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "An image of web pages is read in place, and needs a little-endian processor."
#endif

#define MAGIC 0x53465741u /* "AWFS" */
#define VERSION 1u

enum header { HEADER_MAGIC = 0, HEADER_VERSION = 4, HEADER_NOT_FOUND = 6, HEADER_SIZE = 8, HEADER_FILE_COUNT = 12 };
enum { HEADER_TAG_COUNT = 14, HEADER_FILES = 16, HEADER_TAGS = 20, HEADER_CRC = 24, HEADER_SUMMED = 28 };
#define HEADER_BYTES 32u

enum file { FILE_NAME = 0, FILE_PLAIN = 4, FILE_GZIP = 16, FILE_CRC = 28, FILE_PIECES = 32, FILE_PIECE_COUNT = 36 };
#define FILE_BYTES 40u

enum body { BODY_HEAD = 0, BODY_HEAD_BYTES = 4, BODY_VALIDATORS = 6, BODY_BYTES = 8 };
#define BLANK_LINE_BYTES 2u
#define ETAG_BEGIN "ETag: \""

#define TAG_BYTES 20u
#define PIECE_BYTES 4u
#define PIECE_LENGTH_MASK 0xFFFFFFu

static const FSDATA_CONSTANT uint8_t *entry(const struct fsdata *fs, unsigned file) {
    return fs->files + FILE_BYTES * file;
}

const FSDATA_CONSTANT char *fsdata_name(const struct fsdata *fs, unsigned file) {
    return (const FSDATA_CONSTANT char *)fs->image + fsdata_word(entry(fs, file) + FILE_NAME);
}

unsigned fsdata_find(const struct fsdata *fs, const char *path) {
    for (unsigned file = 0; file < fs->file_count; file++) {
        if (fsdata_is_same(fsdata_name(fs, file), path)) {
            return file;
        }
    }
    return FSDATA_NONE;
}

bool fsdata_body(const struct fsdata *fs, unsigned file, bool gzip, struct fsdata_body *body) {
    const FSDATA_CONSTANT uint8_t *at = entry(fs, file) + (gzip ? FILE_GZIP : FILE_PLAIN);
    uint32_t head = fsdata_word(at + BODY_HEAD);
    body->head = fs->image + head;
    body->head_bytes = fsdata_half(at + BODY_HEAD_BYTES);
    body->validators = fsdata_half(at + BODY_VALIDATORS);
    body->body_bytes = fsdata_word(at + BODY_BYTES);
    return head != 0;
}

const FSDATA_CONSTANT uint8_t *fsdata_pieces(const struct fsdata *fs, unsigned file, uint16_t *count) {
    const FSDATA_CONSTANT uint8_t *at = entry(fs, file);
    uint32_t pieces = fsdata_word(at + FILE_PIECES);
    *count = fsdata_half(at + FILE_PIECE_COUNT);
    return pieces == 0 ? NULL : fs->image + pieces;
}

uint32_t fsdata_piece_bytes(const FSDATA_CONSTANT uint8_t *pieces, unsigned piece) {
    return fsdata_word(pieces + PIECE_BYTES * piece) & PIECE_LENGTH_MASK;
}

unsigned fsdata_piece_tag(const FSDATA_CONSTANT uint8_t *pieces, unsigned piece) {
    return pieces[PIECE_BYTES * piece + 3];
}

uint32_t fsdata_crc32(const struct fsdata *fs, unsigned file) { return fsdata_word(entry(fs, file) + FILE_CRC); }

const FSDATA_CONSTANT char *fsdata_tag_name(const struct fsdata *fs, unsigned tag) {
    return (const FSDATA_CONSTANT char *)fs->tags + TAG_BYTES * tag;
}

static bool fits(const struct fsdata *fs, uint32_t offset, uint32_t bytes) {
    return offset >= HEADER_BYTES && offset <= fs->bytes && bytes <= fs->bytes - offset;
}

static bool is_text(const struct fsdata *fs, uint32_t offset) {
    return fits(fs, offset, 1) && fsdata_has_end(fs->image + offset, fs->bytes - offset);
}

static bool is_body_sound(const struct fsdata *fs, unsigned file, bool gzip) {
    struct fsdata_body body;
    if (!fsdata_body(fs, file, gzip, &body)) {
        return gzip;
    }
    uint32_t offset = fsdata_word(entry(fs, file) + (gzip ? FILE_GZIP : FILE_PLAIN));
    uint32_t before_body = body.head_bytes + BLANK_LINE_BYTES;
    if (!fits(fs, offset, before_body) || !fits(fs, offset + before_body, body.body_bytes)) {
        return false;
    }
    uint32_t validators_bytes = (uint32_t)body.head_bytes - body.validators;
    return body.validators == 0 ||
           (body.validators <= body.head_bytes && validators_bytes >= sizeof ETAG_BEGIN - 1 + FSDATA_ETAG_DIGITS &&
            fsdata_begins_with(body.head + body.validators, ETAG_BEGIN, sizeof ETAG_BEGIN - 1));
}

/* Pieces add up to the body, so that whoever walks them stays in it. */
static bool are_pieces_sound(const struct fsdata *fs, unsigned file) {
    uint32_t offset = fsdata_word(entry(fs, file) + FILE_PIECES);
    uint16_t count;
    const FSDATA_CONSTANT uint8_t *pieces = fsdata_pieces(fs, file, &count);
    struct fsdata_body body;
    fsdata_body(fs, file, false, &body);
    if (pieces == NULL) {
        return count == 0;
    }
    if (offset % 4 != 0 || !fits(fs, offset, PIECE_BYTES * count)) {
        return false;
    }
    uint32_t left = body.body_bytes;
    for (unsigned piece = 0; piece < count; piece++) {
        uint32_t bytes = fsdata_piece_bytes(pieces, piece);
        unsigned tag = fsdata_piece_tag(pieces, piece);
        if (bytes > left || (tag != FSDATA_NO_TAG && (tag >= fs->tag_count || tag >= FSDATA_TAG_LIMIT))) {
            return false;
        }
        left -= bytes;
    }
    return left == 0;
}

static bool are_tables_inside(const struct fsdata *fs, uint32_t files, uint32_t tags) {
    return files % 4 == 0 && fits(fs, files, FILE_BYTES * fs->file_count) && tags % 4 == 0 &&
           fits(fs, tags, TAG_BYTES * fs->tag_count) &&
           (fs->not_found == FSDATA_NONE || fs->not_found < fs->file_count);
}

static bool are_entries_sound(const struct fsdata *fs) {
    for (unsigned tag = 0; tag < fs->tag_count; tag++) {
        if (!fsdata_has_end(fs->tags + TAG_BYTES * tag, TAG_BYTES)) {
            return false;
        }
    }
    for (unsigned file = 0; file < fs->file_count; file++) {
        if (!is_text(fs, fsdata_word(entry(fs, file) + FILE_NAME)) || !is_body_sound(fs, file, false) ||
            !is_body_sound(fs, file, true) || !are_pieces_sound(fs, file)) {
            return false;
        }
    }
    return true;
}

enum fsdata_fault fsdata_open(struct fsdata *fs, const FSDATA_CONSTANT void *image, size_t bytes) {
    const FSDATA_CONSTANT uint8_t *at = image;
    if (!fsdata_is_aligned(image) || bytes < HEADER_BYTES || fsdata_word(at + HEADER_MAGIC) != MAGIC) {
        return FSDATA_NOT_AN_IMAGE;
    }
    if (fsdata_half(at + HEADER_VERSION) != VERSION) {
        return FSDATA_OTHER_VERSION;
    }
    uint32_t files = fsdata_word(at + HEADER_FILES), tags = fsdata_word(at + HEADER_TAGS);
    struct fsdata found = {
        .image = at,
        .bytes = fsdata_word(at + HEADER_SIZE),
        .file_count = fsdata_half(at + HEADER_FILE_COUNT),
        .tag_count = fsdata_half(at + HEADER_TAG_COUNT),
        .not_found = fsdata_half(at + HEADER_NOT_FOUND),
    };
    if (found.bytes > bytes || !are_tables_inside(&found, files, tags)) {
        return FSDATA_OUT_OF_BOUNDS;
    }
    found.files = at + files;
    found.tags = at + tags;
    if (!are_entries_sound(&found)) {
        return FSDATA_OUT_OF_BOUNDS;
    }
    *fs = found;
    return FSDATA_SOUND;
}

/* CRC-32 as in IEEE 802.3, four bits at a time: crc32.h is faster, but its table takes 1 KiB of RAM. */
bool fsdata_is_intact(const struct fsdata *fs) {
    static const uint32_t nibbles[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
                                         0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                         0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    uint32_t crc = 0xFFFFFFFFu;
    for (uint32_t at = HEADER_SUMMED; at < fs->bytes; at++) {
        crc ^= fs->image[at];
        crc = crc >> 4 ^ nibbles[crc & 15];
        crc = crc >> 4 ^ nibbles[crc & 15];
    }
    return ~crc == fsdata_word(fs->image + HEADER_CRC);
}

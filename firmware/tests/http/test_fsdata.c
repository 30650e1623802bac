/* The image of pages: opened, read, and refused where it is damaged. */
#include "fsdata_image.h"

#include "expect.h"
#include "site.h"

#include <stdlib.h>

static void an_image_is_read_as_it_was_made(void) {
    struct fsdata files;
    EXPECT_EQUAL(fsdata_open(&files, site_image, sizeof site_image), FSDATA_SOUND);
    EXPECT(fsdata_is_intact(&files));
    EXPECT_EQUAL(files.file_count, SITE_FILE_COUNT);
    EXPECT_EQUAL(files.tag_count, SITE_TAG_COUNT);
    EXPECT_TEXT(fsdata_tag_name(&files, SITE_TAG_greeting), "greeting");
    EXPECT_EQUAL(fsdata_find(&files, "/nowhere"), FSDATA_NONE);
    unsigned file = fsdata_find(&files, "/two words.txt");
    struct fsdata_body body;
    EXPECT(fsdata_body(&files, file, false, &body));
    EXPECT_EQUAL(body.body_bytes, 7);
    EXPECT(memcmp(body.head + body.head_bytes, "\r\nspaces\n", 9) == 0);
    EXPECT(!fsdata_body(&files, file, true, &body));
    EXPECT_TEXT(fsdata_name(&files, files.not_found), "/404.shtml");
}

static void an_image_that_is_none_is_refused(void) {
    struct fsdata files;
    static _Alignas(4) uint8_t copy[sizeof site_image + 4];
    memcpy(copy, site_image, sizeof site_image);
    EXPECT_EQUAL(fsdata_open(&files, copy, 0), FSDATA_NOT_AN_IMAGE);
    EXPECT_EQUAL(fsdata_open(&files, copy, 31), FSDATA_NOT_AN_IMAGE);
    EXPECT_EQUAL(fsdata_open(&files, copy, sizeof site_image - 1), FSDATA_OUT_OF_BOUNDS);
    memmove(copy + 1, copy, sizeof site_image);
    EXPECT_EQUAL(fsdata_open(&files, copy + 1, sizeof site_image), FSDATA_NOT_AN_IMAGE);
    memcpy(copy, site_image, sizeof site_image);
    copy[4]++;
    EXPECT_EQUAL(fsdata_open(&files, copy, sizeof site_image), FSDATA_OTHER_VERSION);
    copy[0] = 'a';
    EXPECT_EQUAL(fsdata_open(&files, copy, sizeof site_image), FSDATA_NOT_AN_IMAGE);
}

/* Reads all that a server could; sanitizers watch its bounds, on an allocation of the very size. */
static unsigned read_all(const struct fsdata *files) {
    unsigned sum = 0;
    for (unsigned file = 0; file < files->file_count; file++) {
        sum += (unsigned)strlen(fsdata_name(files, file)) + fsdata_crc32(files, file);
        for (int gzip = 0; gzip < 2; gzip++) {
            struct fsdata_body body;
            if (fsdata_body(files, file, gzip, &body)) {
                for (uint32_t at = 0; at < body.head_bytes + 2 + body.body_bytes; at++) {
                    sum += body.head[at];
                }
            }
        }
        uint16_t count;
        const uint8_t *pieces = fsdata_pieces(files, file, &count);
        for (unsigned piece = 0; pieces != NULL && piece < count; piece++) {
            unsigned tag = fsdata_piece_tag(pieces, piece);
            sum += tag == FSDATA_NO_TAG ? 0 : (unsigned)strlen(fsdata_tag_name(files, tag));
        }
    }
    return sum;
}

static void any_damaged_byte_is_noticed_or_harmless(void) {
    static const uint8_t changes[] = {0x01, 0x80, 0xFF};
    uint8_t *copy = malloc(sizeof site_image);
    unsigned refused = 0, sum = 0;
    for (size_t at = 0; at < sizeof site_image; at++) {
        for (size_t change = 0; change < sizeof changes; change++) {
            struct fsdata files;
            memcpy(copy, site_image, sizeof site_image);
            copy[at] ^= changes[change];
            if (fsdata_open(&files, copy, sizeof site_image) != FSDATA_SOUND) {
                refused++;
            } else {
                sum += read_all(&files);
                EXPECT(!fsdata_is_intact(&files) || at < 28);
            }
        }
    }
    free(copy);
    EXPECT(refused > 100);
    EXPECT(sum != 0);
}

static void put(uint8_t *at, uint32_t number, unsigned bytes) {
    while (bytes-- != 0) {
        *at++ = (uint8_t)number;
        number >>= 8;
    }
}

#define CRAFTED_BYTES 2048u
#define CRAFTED_PIECES 104u /* where the pieces of the crafted image stand */
#define CRAFTED_HEAD 1600u
#define CRAFTED_BODY_BYTES 40u

/* One file "/" with a head of 20 bytes and a body of 40, without pieces or validators, which tests then spoil. */
static uint8_t *craft(void) {
    static _Alignas(4) uint8_t image[CRAFTED_BYTES];
    memset(image, 0, sizeof image);
    memcpy(image, "AWFS\1\0\xFF\xFF", 8);
    put(image + 8, CRAFTED_BYTES, 4);
    put(image + 12, 1, 2);
    put(image + 16, 32, 4);
    put(image + 20, 72, 4);
    put(image + 32, 100, 4);
    put(image + 36, CRAFTED_HEAD, 4);
    put(image + 40, 20, 2);
    put(image + 44, CRAFTED_BODY_BYTES, 4);
    image[100] = '/';
    return image;
}

static enum fsdata_fault fault_of(const uint8_t *image) {
    struct fsdata files;
    return fsdata_open(&files, image, CRAFTED_BYTES);
}

/* Their lengths add up to the body's only because the sum has 32 bits. */
static void pieces_that_lead_out_of_the_body_are_refused(void) {
    uint8_t *image = craft();
    EXPECT_EQUAL(fault_of(image), FSDATA_SOUND);
    put(image + 64, CRAFTED_PIECES, 4);
    put(image + 68, 257, 2);
    for (unsigned piece = 0; piece < 256; piece++) {
        put(image + CRAFTED_PIECES + 4 * piece, 0xFFFFFFFF, 4);
    }
    put(image + CRAFTED_PIECES + 4 * 256, 0xFF000000 | (256 + CRAFTED_BODY_BYTES), 4);
    EXPECT_EQUAL(fault_of(image), FSDATA_OUT_OF_BOUNDS);
}

static void pieces_stand_at_words(void) {
    uint8_t *image = craft();
    put(image + 68, 1, 2);
    EXPECT_EQUAL(fault_of(image), FSDATA_OUT_OF_BOUNDS);
    put(image + 64, CRAFTED_PIECES, 4);
    put(image + CRAFTED_PIECES, 0xFF000000 | CRAFTED_BODY_BYTES, 4);
    EXPECT_EQUAL(fault_of(image), FSDATA_SOUND);
    put(image + 64, CRAFTED_PIECES + 1, 4);
    put(image + CRAFTED_PIECES + 1, 0xFF000000 | CRAFTED_BODY_BYTES, 4);
    EXPECT_EQUAL(fault_of(image), FSDATA_OUT_OF_BOUNDS);
}

static void a_page_for_404_and_tags_are_there(void) {
    uint8_t *image = craft();
    put(image + 6, 0, 2);
    EXPECT_EQUAL(fault_of(image), FSDATA_SOUND);
    put(image + 6, 1, 2);
    EXPECT_EQUAL(fault_of(image), FSDATA_OUT_OF_BOUNDS);
    image = craft();
    put(image + 68, 1, 2);
    put(image + 64, CRAFTED_PIECES, 4);
    put(image + CRAFTED_PIECES, CRAFTED_BODY_BYTES, 4); /* tag 0 of none */
    EXPECT_EQUAL(fault_of(image), FSDATA_OUT_OF_BOUNDS);
    put(image + 14, 1, 2);
    EXPECT_EQUAL(fault_of(image), FSDATA_SOUND);
}

/* The ETag's digits are compared without another look at their bounds. */
static void an_etag_is_whole(void) {
    static const char line[] = "ETag: \"0123456789abcdef\"\r\n";
    uint8_t *image = craft();
    memcpy(image + CRAFTED_HEAD + 1, line, sizeof line - 1);
    put(image + 42, 1, 2);
    put(image + 40, 1 + sizeof line - 1, 2);
    EXPECT_EQUAL(fault_of(image), FSDATA_SOUND);
    put(image + 40, 1 + 7 + 15, 2);
    EXPECT_EQUAL(fault_of(image), FSDATA_OUT_OF_BOUNDS);
}

int main(void) {
    an_image_is_read_as_it_was_made();
    an_image_that_is_none_is_refused();
    any_damaged_byte_is_noticed_or_harmless();
    pieces_that_lead_out_of_the_body_are_refused();
    pieces_stand_at_words();
    a_page_for_404_and_tags_are_there();
    an_etag_is_whole();
    return expect_result();
}

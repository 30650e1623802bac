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
    EXPECT(memcmp(body.head + body.head_bytes, "\r\n\r\nspaces\n" + 2, 9) == 0);
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

int main(void) {
    an_image_is_read_as_it_was_made();
    an_image_that_is_none_is_refused();
    any_damaged_byte_is_noticed_or_harmless();
    return expect_result();
}

/* Any bytes as an image of pages: it is refused, or all of it is read and served in bounds. */
#include "http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static size_t write_value(void *context, size_t offset, char *out, size_t capacity) {
    (void)context;
    memset(out, 'v', capacity);
    return offset < 80 ? capacity : 0;
}

/* Bytes of the answers are read, so that sanitizers see where they lie. */
static unsigned ask(const struct http_server *server, const char *path) {
    struct http_connection connection;
    const uint8_t *pending;
    size_t pending_bytes;
    unsigned sum = 0;
    const char *parts[] = {"GET ", path,
                           " HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nIf-None-Match: \"0\"\r\n\r\n"};
    http_open(&connection, server, 0);
    for (size_t part = 0; part < 3; part++) {
        http_receive(&connection, (const uint8_t *)parts[part], strlen(parts[part]), 0);
    }
    while ((pending_bytes = http_pending(&connection, &pending)) != 0) {
        for (size_t at = 0; at < pending_bytes; at++) {
            sum += pending[at];
        }
        http_sent(&connection, pending_bytes, 0);
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct fsdata files;
    unsigned sum = 0;
    /* On an allocation of the very size, aligned as a constant array is. */
    uint8_t *image = malloc(count + !count);
    if (image == NULL) {
        return 0;
    }
    memcpy(image, bytes, count);
    if (count <= 65536 && fsdata_open(&files, image, count) == FSDATA_SOUND) {
        struct http_tag tags[3];
        for (unsigned tag = 0; tag < 3 && tag < files.tag_count; tag++) {
            tags[tag] = (struct http_tag){fsdata_tag_name(&files, tag), write_value};
        }
        struct http_server server = {.files = &files, .tags = tags};
        server.tag_count = files.tag_count < 3 ? files.tag_count : 3;
        sum += fsdata_is_intact(&files) + (http_missing_tag(&server) != NULL);
        for (unsigned file = 0; file < files.file_count && file < 64; file++) {
            sum += ask(&server, fsdata_name(&files, file)) + fsdata_crc32(&files, file);
        }
        sum += ask(&server, "/nowhere");
    }
    free(image);
    return sum == 1 ? -1 : 0;
}

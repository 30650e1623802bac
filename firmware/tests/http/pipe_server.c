/* The tests' site behind a pipe, for property tests: each round is a connection of its own.
 *
 * In: a number of pieces, then for each its length and its bytes. Out: the length of the answer, the answer, and one
 * byte that says whether the connection was finished. All numbers have 32 bits, little-endian. Ends with the input. */
#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_LIMIT_BYTES 65536u

static bool take(void *bytes, size_t count) { return fread(bytes, 1, count, stdin) == count; }

int main(void) {
    static struct exchange exchange;
    uint32_t pieces;
    while (take(&pieces, sizeof pieces)) {
        exchange_begin(&exchange);
        while (pieces-- != 0) {
            uint32_t bytes;
            /* Exactly as large as the piece, so that the sanitizer sees a byte read too far. */
            if (!take(&bytes, sizeof bytes) || bytes > PIECE_LIMIT_BYTES) {
                return 1;
            }
            char *piece = malloc(bytes + !bytes);
            if (piece == NULL || !take(piece, bytes)) {
                return 1;
            }
            exchange_bytes(&exchange, piece, bytes, bytes, 1 + bytes % 7);
            free(piece);
        }
        uint32_t bytes = (uint32_t)exchange.answer_bytes;
        fwrite(&bytes, sizeof bytes, 1, stdout);
        fwrite(exchange.answer, 1, bytes, stdout);
        putchar(http_is_finished(&exchange.connection));
        fflush(stdout);
    }
    return 0;
}

/* Any bytes as requests on one connection, cut up as the first byte says: no byte is read or written out of bounds, the
 * answers are the same as those to the bytes in one go, and a finished connection stays finished. */
#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static struct exchange whole, cut;
    /* Answers to more would not fit the buffer for them. */
    if (count == 0 || count > 2048) {
        return 0;
    }
    exchange_begin(&whole);
    exchange_bytes(&whole, bytes + 1, count - 1, SIZE_MAX, SIZE_MAX);
    bool is_finished = http_is_finished(&whole.connection);
    exchange_begin(&cut);
    exchange_bytes(&cut, bytes + 1, count - 1, 1 + bytes[0] % 16, 1 + bytes[0] / 16);
    if (whole.answer_bytes != cut.answer_bytes || memcmp(whole.answer, cut.answer, cut.answer_bytes) != 0 ||
        is_finished != http_is_finished(&cut.connection)) {
        fprintf(stderr, "the answer depends on how the request is cut\n");
        abort();
    }
    return 0;
}

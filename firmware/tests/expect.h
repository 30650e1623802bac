/* Expectations for tests in C: a failed one prints where it stands and what was found, and the program ends with 1.
 *
 * A test program calls its tests from main() and returns expect_result(). */
#ifndef AIRWIRE_EXPECT_H
#define AIRWIRE_EXPECT_H

#include <stdio.h>
#include <string.h>

static int expect_failures;
static int expect_count;

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        expect_count++;                                                                                                \
        if (!(condition)) {                                                                                            \
            expect_failures++;                                                                                         \
            printf("%s:%d: expected %s\n", __FILE__, __LINE__, #condition);                                            \
        }                                                                                                              \
    } while (0)

#define EXPECT_EQUAL(found, wanted)                                                                                    \
    do {                                                                                                               \
        long long expect_found = (long long)(found), expect_wanted = (long long)(wanted);                              \
        expect_count++;                                                                                                \
        if (expect_found != expect_wanted) {                                                                           \
            expect_failures++;                                                                                         \
            printf("%s:%d: %s is %lld, but should be %lld\n", __FILE__, __LINE__, #found, expect_found,                \
                   expect_wanted);                                                                                     \
        }                                                                                                              \
    } while (0)

#define EXPECT_TEXT(found, wanted)                                                                                     \
    do {                                                                                                               \
        const char *expect_found = (found), *expect_wanted = (wanted);                                                 \
        expect_count++;                                                                                                \
        if (expect_found == NULL || strcmp(expect_found, expect_wanted) != 0) {                                        \
            expect_failures++;                                                                                         \
            printf("%s:%d: %s is\n%s\nbut should be\n%s\n", __FILE__, __LINE__, #found,                                \
                   expect_found == NULL ? "(nothing)" : expect_found, expect_wanted);                                  \
        }                                                                                                              \
    } while (0)

static inline int expect_result(void) {
    if (expect_failures == 0 && expect_count > 0) {
        printf("%d expectations held\n", expect_count);
        return 0;
    }
    printf("%d of %d expectations failed\n", expect_failures, expect_count);
    return 1;
}

#endif

/* Division is a function of some hundred cycles on a Cortex-M0+; for at most ten digits, subtraction costs about the
 * same and no code. */
#include "decimal.h"

char *decimal_write(char *to, uint32_t value) {
    static const uint32_t powers[DECIMAL_DIGITS] = {1000000000, 100000000, 10000000, 1000000, 100000,
                                                    10000,      1000,      100,      10,      1};
    const uint32_t *power = powers;
    while (*power > value && *power > 1) {
        power++;
    }
    for (; power < powers + DECIMAL_DIGITS; power++) {
        char digit = '0';
        while (value >= *power) {
            value -= *power;
            digit++;
        }
        *to++ = digit;
    }
    return to;
}

bool decimal_read(const char *text, size_t count, uint32_t *value) {
    uint32_t number = 0;
    if (!count) {
        return false;
    }
    for (size_t index = 0; index < count; index++) {
        uint32_t digit = (uint32_t)(text[index] - '0');
        if (digit > 9 || number > UINT32_MAX / 10 || number * 10 > UINT32_MAX - digit) {
            return false;
        }
        number = number * 10 + digit;
    }
    *value = number;
    return true;
}

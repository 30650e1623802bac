/* Tags: a counter of pages with it, a greeting, the voltage at input 0 of the ADC, the chip's temperature where it has
 * a sensor. A form at /lamp switches the board's LED. */
#include "site.h"

#include <string.h>

#include "adc.h"
#include "decimal.h"
#include "lamp.h"
#include "random.h"

#define VALUE_BYTES 16u

/* The part of a short value that a tag asks for. */
static size_t part(const char *value, size_t bytes, size_t offset, char *out, size_t capacity) {
    size_t left = offset < bytes ? bytes - offset : 0;
    size_t count = left < capacity ? left : capacity;
    memcpy(out, value + (bytes - left), count);
    return count;
}

HTTP_FAST static size_t write_counter(void *context, size_t offset, char *out, size_t capacity) {
    static uint32_t pages;
    static char digits[DECIMAL_DIGITS];
    static size_t count;
    (void)context;
    if (!offset) {
        count = (size_t)(decimal_write(digits, ++pages) - digits);
    }
    return part(digits, count, offset, out, capacity);
}

HTTP_FAST static size_t write_greeting(void *context, size_t offset, char *out, size_t capacity) {
    static const char *const greetings[] = {"Hello", "Good day", "Welcome", "Greetings"};
    static const char *chosen;
    (void)context;
    if (!offset) {
        chosen = greetings[random_word() % 4u];
    }
    return part(chosen, strlen(chosen), offset, out, capacity);
}

/* Thousandths as "3.300", tenths as "26.9". */
static size_t write_fraction(char *to, uint32_t value, unsigned digits) {
    uint32_t unit = digits == 3 ? 1000 : 10;
    char *end = decimal_write(to, value / unit);
    *end++ = '.';
    for (uint32_t rest = value % unit, place = unit / 10; place; place /= 10) {
        *end++ = (char)('0' + rest / place % 10);
    }
    return (size_t)(end - to);
}

HTTP_FAST static size_t write_voltage(void *context, size_t offset, char *out, size_t capacity) {
    static char text[VALUE_BYTES];
    static size_t count;
    (void)context;
    if (!offset) {
        count = write_fraction(text, adc_input0_millivolts(), 3);
    }
    return part(text, count, offset, out, capacity);
}

#ifndef ADC_WITHOUT_TEMPERATURE
HTTP_FAST static size_t write_temperature(void *context, size_t offset, char *out, size_t capacity) {
    static char text[VALUE_BYTES];
    static size_t count;
    (void)context;
    if (!offset) {
        int32_t temperature = adc_temperature_decidegrees();
        text[0] = '-';
        size_t sign = temperature < 0;
        count = sign + write_fraction(text + sign, (uint32_t)(sign ? -temperature : temperature), 1);
    }
    return part(text, count, offset, out, capacity);
}
#endif

static const struct http_tag tags[] = {
    {"counter", write_counter},
    {"greeting", write_greeting},
    {"voltage", write_voltage},
#ifndef ADC_WITHOUT_TEMPERATURE
    {"temperature", write_temperature},
#endif
};

/* The lamp's new state is kept in the request until it turns out to be valid. */
static void lamp_parameter(void *context, struct http_request *request, const struct http_parameter *parameter) {
    (void)context;
    if (!strcmp(parameter->name, "lamp")) {
        request->state[0] = !strcmp(parameter->value, "on") ? 1 : !strcmp(parameter->value, "off") ? 2 : 0;
    }
}

static void lamp_answer(void *context, struct http_request *request, struct http_answer *answer) {
    (void)context;
    if (!request->state[0]) {
        answer->status = HTTP_BAD_REQUEST;
        return;
    }
    lamp_put(request->state[0] == 1);
    answer->status = HTTP_SEE_OTHER;
    answer->header = HTTP_LOCATION("/");
}

static const struct http_handler handlers[] = {{"/lamp", HTTP_POST, lamp_parameter, lamp_answer}};

struct http_server site = {.tags = tags,
                           .tag_count = sizeof tags / sizeof *tags,
                           .handlers = handlers,
                           .handler_count = sizeof handlers / sizeof *handlers};

void site_open(const struct fsdata *files) { site.files = files; }

/* See exchange.h. */
#include "exchange.h"

#include "site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fsdata exchange_files;
struct exchange_application exchange_application;

static size_t copy_part(const char *text, size_t bytes, size_t offset, char *out, size_t capacity) {
    size_t left = offset < bytes ? bytes - offset : 0;
    size_t count = left < capacity ? left : capacity;
    memcpy(out, text + offset, count);
    return count;
}

static size_t write_greeting(void *context, size_t offset, char *out, size_t capacity) {
    (void)context;
    return copy_part("hello", 5, offset, out, capacity);
}

/* Another value each time it is read: a page that asked twice would show it. */
static size_t write_counter(void *context, size_t offset, char *out, size_t capacity) {
    struct exchange_application *application = context;
    char text[16];
    if (offset == 0) {
        application->counter_reads++;
    }
    int bytes = snprintf(text, sizeof text, "%u", application->counter_reads);
    return copy_part(text, (size_t)bytes, offset, out, capacity);
}

static size_t write_long(void *context, size_t offset, char *out, size_t capacity) {
    struct exchange_application *application = context;
    size_t count = 0;
    while (count < capacity && offset + count < application->long_value_bytes) {
        out[count] = 'a' + (offset + count) % 26;
        count++;
    }
    return count;
}

static size_t write_empty(void *context, size_t offset, char *out, size_t capacity) {
    (void)context, (void)offset, (void)out, (void)capacity;
    return 0;
}

static void take_parameter(void *context, struct http_request *request, const struct http_parameter *parameter) {
    struct exchange_application *application = context;
    size_t used = strlen(application->parameters);
    snprintf(application->parameters + used, sizeof application->parameters - used, "%s=%s%s;", parameter->name,
             parameter->value, parameter->is_truncated ? "!" : "");
    request->state[0]++;
}

static size_t write_note(void *context, size_t offset, char *out, size_t capacity) {
    const char *note = ((struct exchange_application *)context)->note;
    return copy_part(note, strlen(note), offset, out, capacity);
}

/* How many parameters this request had: the state is the connection's, whatever other connections do. */
static size_t write_count(void *context, size_t offset, char *out, size_t capacity) {
    const struct http_request *request = context;
    char text[16];
    int bytes = snprintf(text, sizeof text, "%u", (unsigned)request->state[0]);
    return copy_part(text, (size_t)bytes, offset, out, capacity);
}

static void answer_note(void *context, struct http_request *request, struct http_answer *answer) {
    (void)request;
    ((struct exchange_application *)context)->answers++;
    answer->header = HTTP_CONTENT_TYPE("application/json");
    answer->write = write_note;
}

static void answer_count(void *context, struct http_request *request, struct http_answer *answer) {
    ((struct exchange_application *)context)->answers++;
    answer->header = HTTP_CONTENT_TYPE("text/plain");
    answer->write = write_count;
    answer->context = request;
}

static void answer_redirect(void *context, struct http_request *request, struct http_answer *answer) {
    (void)context, (void)request;
    answer->status = HTTP_SEE_OTHER;
    answer->header = HTTP_LOCATION("/plain.txt");
}

static void answer_page(void *context, struct http_request *request, struct http_answer *answer) {
    (void)context, (void)request;
    answer->file = "/plain.txt";
}

static void answer_missing_page(void *context, struct http_request *request, struct http_answer *answer) {
    (void)context, (void)request;
    answer->file = "/not-there.txt";
}

static void answer_forbidden(void *context, struct http_request *request, struct http_answer *answer) {
    (void)context, (void)request;
    answer->status = HTTP_FORBIDDEN;
}

static const struct http_tag tags[] = {
    {"counter", write_counter},
    {"empty", write_empty},
    {"greeting", write_greeting},
    {"long", write_long},
};

static const struct http_handler handlers[] = {
    {"/note", HTTP_GET, take_parameter, answer_note},   {"/count", HTTP_GET | HTTP_POST, take_parameter, answer_count},
    {"/counted", HTTP_GET, NULL, answer_note},          {"/redirect", HTTP_POST, take_parameter, answer_redirect},
    {"/page", HTTP_GET | HTTP_POST, NULL, answer_page}, {"/missing-page", HTTP_GET, NULL, answer_missing_page},
    {"/forbidden", HTTP_GET, NULL, answer_forbidden},   {"/shadowed.txt", HTTP_GET, NULL, answer_note},
};

struct http_server exchange_server = {
    .files = &exchange_files,
    .tags = tags,
    .handlers = handlers,
    .context = &exchange_application,
    .tag_count = sizeof tags / sizeof tags[0],
    .handler_count = sizeof handlers / sizeof handlers[0],
};

void exchange_begin(struct exchange *exchange) {
    if (fsdata_open(&exchange_files, site_image, sizeof site_image) != FSDATA_SOUND) {
        fprintf(stderr, "the image of the tests' site is not sound\n");
        exit(1);
    }
    memset(exchange, 0, sizeof *exchange);
    memset(&exchange_application, 0, sizeof exchange_application);
    exchange_application.note = "{}";
    exchange_application.long_value_bytes = 1000;
    http_open(&exchange->connection, &exchange_server, exchange->now_ms);
}

static void drain(struct exchange *exchange, size_t take) {
    const uint8_t *pending;
    size_t count;
    while ((count = http_pending(&exchange->connection, &pending)) != 0) {
        count = count < take ? count : take;
        if (exchange->answer_bytes + count >= EXCHANGE_BYTES) {
            fprintf(stderr, "an answer has more than %u bytes\n", EXCHANGE_BYTES);
            exit(1);
        }
        memcpy(exchange->answer + exchange->answer_bytes, pending, count);
        exchange->answer_bytes += count;
        exchange->sends++;
        http_sent(&exchange->connection, count, exchange->now_ms);
    }
    exchange->answer[exchange->answer_bytes] = '\0';
}

void exchange_bytes(struct exchange *exchange, const void *bytes, size_t count, size_t step, size_t take) {
    const uint8_t *next = bytes;
    while (count != 0) {
        size_t offered = count < step ? count : step;
        size_t taken = http_receive(&exchange->connection, next, offered, exchange->now_ms);
        next += taken;
        count -= taken;
        drain(exchange, take);
    }
}

const char *exchange_text(struct exchange *exchange, const char *text) {
    exchange->answer_bytes = exchange->sends = 0;
    exchange->answer[0] = '\0';
    exchange_bytes(exchange, text, strlen(text), SIZE_MAX, SIZE_MAX);
    return exchange->answer;
}

const char *exchange_once(const char *text) {
    static struct exchange exchange;
    exchange_begin(&exchange);
    return exchange_text(&exchange, text);
}

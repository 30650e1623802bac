/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Parameters of a query or of an application/x-www-form-urlencoded body, decoded and handed over one by one.
 *
 * Name and value share the connection's slot, the name at most its first half; what does not fit is cut off and said to
 * be. Leaves out other encodings of forms (415). */
#include "http_internal.h"

enum { NO_ESCAPE, FIRST_DIGIT, SECOND_DIGIT };
#define NO_DIGIT 16u
/* What small letters have and capitals have not. */
#define CASE_BIT 0x20u
#define NAME_LIMIT (HTTP_SLOT_BYTES / 2 - 1)
#define SLOT_LIMIT (HTTP_SLOT_BYTES - 1)

static unsigned digit_of(uint8_t byte) {
    unsigned digit = byte - (unsigned)'0';
    if (digit < 10) {
        return digit;
    }
    digit = (byte | CASE_BIT) - (unsigned)'a';
    return digit < 6 ? digit + 10 : NO_DIGIT;
}

/* The byte that stands for itself, or that an escape stands for; 0 while an escape is not whole. A zero byte would end
 * a text too early, whatever it came as. */
uint8_t http_unescape(struct http_connection *c, uint8_t byte) {
    unsigned digit = digit_of(byte);
    bool is_right = digit != NO_DIGIT;
    if (c->escape == NO_ESCAPE) {
        is_right = byte != 0;
        c->escape = byte == '%' ? FIRST_DIGIT : NO_ESCAPE;
    } else if (c->escape == FIRST_DIGIT) {
        c->escaped = digit << 4;
        c->escape = SECOND_DIGIT;
    } else {
        byte = c->escaped | digit;
        is_right &= byte != 0;
        c->escape = NO_ESCAPE;
    }
    if (!is_right) {
        http_fail(c, HTTP_BAD_REQUEST);
    }
    return is_right && c->escape == NO_ESCAPE ? byte : 0;
}

void http_form_end(struct http_connection *c) {
    if (c->escape != NO_ESCAPE) {
        http_fail(c, HTTP_BAD_REQUEST);
        return;
    }
    const struct http_handler *handler = http_handler_of(c);
    c->slot[c->fill] = '\0';
    if (c->fill != 0 && handler != NULL && handler->parameter != NULL) {
        struct http_parameter parameter = {
            .name = c->slot,
            .value = c->slot + (c->value_begin != 0 ? c->value_begin : c->fill),
            .is_truncated = c->is_truncated,
        };
        handler->parameter(c->server->context, &c->request, &parameter);
    }
    c->fill = c->value_begin = 0;
    c->is_truncated = false;
}

void http_form_byte(struct http_connection *c, uint8_t byte) {
    if (!c->has_parameters) {
        return;
    }
    if (c->escape == NO_ESCAPE) {
        if (byte == '&') {
            http_form_end(c);
            return;
        }
        if (byte == '=' && c->value_begin == 0) {
            c->slot[c->fill++] = '\0';
            c->value_begin = c->fill;
            return;
        }
        if (byte == '+') {
            byte = ' ';
        }
    }
    byte = http_unescape(c, byte);
    if (byte == 0) {
        return;
    }
    if (c->fill < (c->value_begin != 0 ? SLOT_LIMIT : NAME_LIMIT)) {
        c->slot[c->fill++] = byte;
    } else {
        c->is_truncated = true;
    }
}

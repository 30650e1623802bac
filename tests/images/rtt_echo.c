/* Asks over RTT and answers each line with what was typed. */
#include "rtt.h"
#include "support.h"
#include "text.h"

static char line[80];

int main(void) {
    clocks_start();
    rtt_start("Terminal", RTT_SKIP, 1);
    for (;;) {
        rtt_put_text("> ");
        char *end = append_text(line, "typed: ");
        for (;;) {
            int byte = rtt_read();
            if (byte == '\r' || byte == '\n') {
                break;
            }
            if (byte >= 0 && end < line + sizeof line - 2) {
                *end++ = (char)byte;
            }
        }
        *append_text(end, "\n") = 0;
        rtt_put_text(line);
    }
}

/* lwIP's clock, and what becomes of its assertions. */
#include "clock.h"
#include "console.h"
#include "lwip/arch.h"
#include "lwip/sys.h"

u32_t sys_now(void) { return clock_ms(); }

#if NO_SYS
void sys_init(void) {}
#endif

void lwip_assertion_failed(const char *sentence) {
    console_text("error: lwIP: ");
    console_text(sentence);
    console_put('\n');
    for (;;) {
        clock_sleep(1000000);
    }
}

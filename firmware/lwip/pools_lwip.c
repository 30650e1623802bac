/* lwIP's pools by its own statistics; TCP's, ARP's and IP's counters of what went wrong are in them too. */
#include "console.h"
#include "lwip/memp.h"
#include "lwip/stats.h"
#include "pools.h"

#if MEMP_STATS && MEM_STATS
#define LWIP_MEMPOOL(name, count, size, description) #name,
static const char *const names[] = {
#include "lwip/priv/memp_std.h"
};

static void tell(const char *name, const struct stats_mem *pool) {
    console_named(name, (uint32_t)pool->used);
    console_text("most ");
    console_named(name, (uint32_t)pool->max);
    if (pool->err) {
        console_text("no room ");
        console_named(name, pool->err);
    }
}

void pools_report_lwip(void) {
    tell("HEAP", &lwip_stats.mem);
    for (unsigned n = 0; n < MEMP_MAX; n++) {
        tell(names[n], lwip_stats.memp[n]);
    }
}
#else
void pools_report_lwip(void) {}
#endif

/* lwIP's clock, and what becomes of its assertions. */
#include "clock.h"
#include "console.h"
#include "lwip/arch.h"
#include "lwip/prot/dhcp.h"
#include "lwip/prot/dns.h"
#include "lwip/prot/etharp.h"
#include "lwip/prot/icmp.h"
#include "lwip/prot/ip4.h"
#include "lwip/prot/tcp.h"
#include "lwip/prot/udp.h"
#include "lwip/sys.h"

/* Not packed (arch/cc.h): sizes of RFC 791, 792, 793, 768, 826, 1035 and 2131, and of Ethernet with ETH_PAD_SIZE. */
_Static_assert(sizeof(struct eth_addr) == 6 && sizeof(struct eth_hdr) == 14 + ETH_PAD_SIZE, "Ethernet");
_Static_assert(sizeof(struct etharp_hdr) == 28, "ARP");
_Static_assert(sizeof(struct ip_hdr) == 20 && sizeof(struct icmp_echo_hdr) == 8, "IP and ICMP");
_Static_assert(sizeof(struct tcp_hdr) == 20 && sizeof(struct udp_hdr) == 8, "TCP and UDP");
_Static_assert(sizeof(struct dns_hdr) == 12, "DNS");
_Static_assert(offsetof(struct dhcp_msg, cookie) == 236 && offsetof(struct dhcp_msg, options) == 240, "DHCP");

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

/* Implementation of interface.h. The link is looked at by one of lwIP's timers. */
#include "interface.h"

#include "console.h"
#include "frames.h"
#include "lwip/dhcp.h"
#include "lwip/init.h"
#include "lwip/timeouts.h"
#include "netif/ethernet.h"
#include "netif_frames.h"
#include "network_settings.h"
#include "start_frames.h"
#include "watch.h"
#include "watchdog.h"
#ifdef AIRWIRE_FREERTOS
#include "lwip/tcpip.h"
#endif

#if LWIP_DHCP
SETTING(dhcp, 0, "on/off",
        "whether address, mask and gateway come from a DHCP server, or from the settings of these names");
#endif

#define LINK_LOOK_MS 100u

static struct netif interface;

static void look_at_link(void *argument) {
    (void)argument;
    netif_frames_look_at_link(&interface);
    sys_timeout(LINK_LOOK_MS, look_at_link, NULL);
}

static void add(void) {
    ip4_addr_t none = {0}, address = {setting_address}, mask = {setting_mask}, gateway = {setting_gateway};
#if LWIP_DHCP
    bool is_fixed = !setting_dhcp;
#else
    bool is_fixed = true;
#endif
    netif_add(&interface, is_fixed ? &address : &none, is_fixed ? &mask : &none, is_fixed ? &gateway : &none, NULL,
              netif_frames_init, ethernet_input);
    netif_set_default(&interface);
#if LWIP_IPV6
    netif_create_ip6_linklocal_address(&interface, 1);
#endif
    netif_set_up(&interface);
#if LWIP_DHCP
    if (!is_fixed) {
        dhcp_start(&interface);
    }
#endif
    look_at_link(NULL);
}

void interface_start(const char *application, const char *transport) {
    console_start(setting_console_baud);
    if (setting_watchdog_ms) {
        watchdog_start(setting_watchdog_ms);
    }
    start_chip(application, transport);
#ifdef AIRWIRE_FREERTOS
    tcpip_init(NULL, NULL);
    LOCK_TCPIP_CORE();
    add();
    UNLOCK_TCPIP_CORE();
#else
    lwip_init();
    add();
#endif
    watch_start(setting_wiznet_int, setting_wiznet_poll_us, setting_wiznet_poll_raster);
}

#ifdef AIRWIRE_FREERTOS
/* Frames without a link are lost in netif_frames.c, as on a cable that ends nowhere. */
struct netif *interface_route(void) { return ip4_addr_isany_val(*netif_ip4_addr(&interface)) ? NULL : &interface; }
#endif

bool interface_receive(unsigned most) { return netif_frames_receive(&interface, most); }

void interface_settle(void) { frames_settle(); }

bool interface_is_ready(void) {
    return netif_is_link_up(&interface) && !ip4_addr_isany_val(*netif_ip4_addr(&interface));
}

const char *interface_sentence(void) {
    if (!netif_is_link_up(&interface)) {
        return frames_sentence(FRAMES_NO_LINK);
    }
    return frames_sentence(interface_is_ready() ? FRAMES_READY : FRAMES_NO_ADDRESS);
}

uint32_t interface_address(void) { return ip4_addr_get_u32(netif_ip4_addr(&interface)); }

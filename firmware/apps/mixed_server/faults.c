/* Implementation of faults.h, on lwIP's raw interface. */
#include "faults.h"

#include "lwip/pbuf.h"
#include "network.h"
#include "settings.h"

SETTING(fault_leak_s, 0, "s 0..4000000", "every so many seconds a packet's memory is lost, 0 for never");
SETTING(fault_hang_s, 0, "s 0..4000000", "after so many seconds the loop stands still, 0 for never");

void faults_tick(uint32_t now_ms) {
    static uint32_t began_ms, leaked_ms;
    if (!began_ms) {
        began_ms = leaked_ms = now_ms;
    }
    if (setting_fault_leak_s && now_ms - leaked_ms >= setting_fault_leak_s * 1000u) {
        leaked_ms = now_ms;
        pbuf_alloc(PBUF_RAW, 64, PBUF_RAM);
    }
    while (setting_fault_hang_s && now_ms - began_ms >= setting_fault_hang_s * 1000u) {
    }
}

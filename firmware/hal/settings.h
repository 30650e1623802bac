/* Settings: 32-bit words in flash that a tool may change in the image without building it anew, on a virtual board as
 * on a real one. `SETTING(spi_hz, 33300000u)` defines one; it is read as `setting_spi_hz`. */
#ifndef HAL_SETTINGS_H
#define HAL_SETTINGS_H

#include <stdint.h>

#define SETTING(name, value)                                                                                           \
    extern const volatile uint32_t setting_##name;                                                                     \
    const volatile uint32_t setting_##name __attribute__((section(".settings." #name), used)) = (value)
#define USES_SETTING(name) extern const volatile uint32_t setting_##name

/* An IPv4 address as it lies in a setting: the first octet lowest in memory, as on the wire. */
#define SETTING_ADDRESS(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

#endif

/* Settings: words in flash that a tool may change in the image without building it anew, on a virtual board as
 * on a real one. `SETTING(spi_hz, 33300000u, "hz 10000..66500000", "the clock of the SPI")` defines one; it is read as
 * `setting_spi_hz`.
 *
 * Kind and meaning are notes for tools: they stand in a section of the ELF that goes into no memory. A kind is
 *   text 32                    a text of so many bytes at most, by SETTING_TEXT: the one kind that is more than a word
 *   address                    an IPv4 address, by SETTING_ADDRESS
 *   on/off                     a switch
 *   choice tcp|udp             one of these, numbered from 0
 *   any of sink|echo           a sum of these, which are 1, 2, 4 and so on
 *   ms 1..8000                 a quantity with its unit and range; without a range any of 32 bits. `by 1000` at its end
 *                              leaves multiples of that only
 * Tools know the units hz, s, ms, us, ns and bytes; another word (port, pin, baud) is only shown. */
#ifndef HAL_SETTINGS_H
#define HAL_SETTINGS_H

#include <stdint.h>

/* An AVR reads its flash by an instruction of its own, which the compiler takes for this address space; its linker's
 * script puts sections of this name into flash. */
#ifdef __AVR__
#define SETTING_MEMORY __flash
#define SETTING_SECTION ".progmem.settings."
#else
#define SETTING_MEMORY
#define SETTING_SECTION ".settings."
#endif

#define SETTING(name, value, kind, meaning)                                                                            \
    extern const volatile SETTING_MEMORY uint32_t setting_##name;                                                      \
    const volatile SETTING_MEMORY uint32_t setting_##name __attribute__((section(SETTING_SECTION #name), used)) =      \
        (value);                                                                                                       \
    static const char note_of_setting_##name[] __attribute__((section(".airwire.settings"), used)) =                   \
        #name "\0" kind "\0" meaning
/* A text in `room` bytes, a multiple of four and more than a word; zeros stand behind it. */
#define SETTING_TEXT(name, room, value, kind, meaning)                                                                 \
    extern const volatile char setting_##name[room];                                                                   \
    const volatile char setting_##name[room] __attribute__((section(SETTING_SECTION #name), used, aligned(4))) =       \
        value;                                                                                                         \
    static const char note_of_setting_##name[] __attribute__((section(".airwire.settings"), used)) =                   \
        #name "\0" kind "\0" meaning
#define USES_SETTING(name) extern const volatile SETTING_MEMORY uint32_t setting_##name

/* An IPv4 address as it lies in a setting: the first octet lowest in memory, as on the wire. */
#define SETTING_ADDRESS(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

#endif

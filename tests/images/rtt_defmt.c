/* Logs over RTT in the form of defmt (knurling-rs's book, "Encoding"): frames hold the number of a text, the time, and
 * values. The texts are names of symbols in a section that goes into the ELF only. RAW leaves out the encoding of
 * frames, and VERSION is one that nobody knows.
 */
#include "rtt.h"
#include "support.h"

#ifndef VERSION
#define VERSION "4"
#endif
#ifdef RAW
#define ENCODING "raw"
#else
#define ENCODING "rzcobs"
#endif

/* A symbol whose name is JSON, with a size and contents. */
#define SYMBOL(tag, text, disambiguator, more, size, contents)                                                         \
    __asm__(".pushsection .defmt,\"\",%progbits\n"                                                                     \
            ".global " NAME(tag, text, disambiguator) "\n.size " NAME(tag, text, disambiguator) ", " size "\n" NAME(   \
                tag, text, disambiguator) ":\n" more contents "\n.popsection\n")
#define NAME(tag, text, disambiguator)                                                                                 \
    "\"{\\\"package\\\":\\\"images\\\",\\\"tag\\\":\\\"" tag "\\\",\\\"data\\\":\\\"" text                             \
    "\\\",\\\"disambiguator\\\":\\\"" disambiguator "\\\",\\\"crate_name\\\":\\\"rtt\\\"}\""

/* A text, and another symbol at the same place for this program, whose beginning tools leave out. */
#define TEXT(symbol, tag, text)                                                                                        \
    extern const char symbol[] __asm__("_defmt_" #symbol);                                                             \
    SYMBOL(tag, text, #symbol, "_defmt_" #symbol ":\n", "1", ".byte 0")
#define FLAG(place, name, value)                                                                                       \
    SYMBOL("defmt_bitflags_value", "Flags::" place "::" name, "flags", "", "16", ".quad " value ", 0")

__asm__(".pushsection .defmt,\"\",%progbits\n.byte 0\n.popsection\n"
        ".global \"_defmt_version_ = " VERSION "\"\n.set \"_defmt_version_ = " VERSION "\", 1\n"
        ".global \"_defmt_encoding_ = " ENCODING "\"\n.set \"_defmt_encoding_ = " ENCODING "\", 1\n");

TEXT(text_time, "defmt_timestamp", "{=u64:us}");
TEXT(text_hello, "defmt_info", "hello from {=str}, answer {=u8}");
TEXT(text_register, "defmt_warn", "register {=u32:#010x}, field {=0..4:b}");
TEXT(text_state, "defmt_error", "state {=?} after {=[u8]:x}");
TEXT(text_option, "defmt_prim", "None|Some({=?})");
TEXT(text_u16, "defmt_prim", "{=u16}");
TEXT(text_debug, "defmt_debug", "{=i16} degrees, {=bool}, {=istr}");
TEXT(text_word, "defmt_str", "interned");
TEXT(text_list, "defmt_trace", "list {=[?]:#x} of {=char} and {=f32} at {=u32:tms} on {=u64:iso8601s}");
TEXT(text_flags, "defmt_info", "flags {=u8:__internal_bitflags_Flags@images@flags@rtt} by {=__internal_Display}");
FLAG("1", "BUSY", "4");
FLAG("0", "READY", "1");
TEXT(text_print, "defmt_println", "printed without a level");

static uint8_t frame[64];
static uint32_t length;

static void add(uint32_t value, uint32_t bytes) {
    for (; bytes > 0; bytes--, value >>= 8) {
        frame[length++] = (uint8_t)value;
    }
}

static void add_bytes(const char *bytes, uint32_t count) {
    add(count, 4);
    while (count-- > 0) {
        frame[length++] = (uint8_t)*bytes++;
    }
}

static void add_text(const char *text) { add((uint32_t)(uintptr_t)text, 2); }

static void begin(const char *text) {
    length = 0;
    add_text(text);
    add(time_us(), 4);
    add(0, 4);
}

#ifdef RAW
static void send(void) { rtt_write(frame, length); }
#else
static void put(uint32_t byte) {
    uint8_t single = (uint8_t)byte;
    rtt_write(&single, 1);
}

/* Groups of seven bytes, of which those that are zero are bits of the byte behind the group; or longer rows without a
 * zero, which end with one. */
static void send(void) {
    uint32_t run = 0, zeros = 0;
    for (uint32_t i = 0; i < length; i++) {
        uint8_t byte = frame[i];
        if (run < 7) {
            if (byte == 0) {
                zeros |= 1u << run;
            } else {
                put(byte);
            }
            if (++run == 7 && zeros != 0) {
                put(zeros);
                run = zeros = 0;
            }
        } else if (byte == 0) {
            put((run - 7) | 0x80);
            run = 0;
        } else {
            put(byte);
            if (++run == 134) {
                put(0xff);
                run = 0;
            }
        }
    }
    if (run >= 7) {
        put((run - 7) | 0x80);
    } else if (run > 0) {
        put((zeros | 0xffu << run) & 0x7f);
    }
    put(0);
}
#endif

int main(void) {
    clocks_start();
    rtt_start("defmt", RTT_BLOCK, 0);
    begin(text_hello);
    add_bytes("the image", 9);
    add(42, 1);
    send();
    begin(text_register);
    add(0xbeef, 4);
    add(0x2d, 1);
    send();
    begin(text_state);
    add_text(text_option);
    add(1, 1);
    add_text(text_u16);
    add(513, 2);
    add_bytes("\1\xff", 2);
    send();
    begin(text_debug);
    add((uint32_t)-40, 2);
    add(1, 1);
    add_text(text_word);
    send();
    begin(text_list);
    add(2, 4);
    add_text(text_u16);
    add(10, 2);
    add(11, 2);
    add(0xb5, 4);
    add(0x3fc00000, 4);
    add(3723004, 4);
    add(951782400, 4);
    add(0, 4);
    send();
    begin(text_flags);
    add(5, 1);
    add('m', 1);
    add('e', 1);
    add(0xff, 1);
    send();
    begin(text_print);
    send();
    /* More than the buffer holds. */
    for (uint32_t number = 0; number < 100; number++) {
        begin(text_hello);
        add_bytes("a loop", 6);
        add(number, 1);
        send();
    }
    interrupts_off();
    for (;;) {
        wait_for_interrupt();
    }
}

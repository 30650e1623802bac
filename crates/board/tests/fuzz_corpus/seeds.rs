//! The seeds of the boards' fuzz targets.

mod rtt;

type Seeds = Vec<(&'static str, Vec<u8>)>;

/// Those of each target.
pub(crate) fn all() -> [(&'static str, Seeds); 4] {
    [
        ("gdb_packets", gdb_seeds()),
        ("rtt_ram", rtt::seeds()),
        ("board_file", file_seeds()),
        ("avr_image", image_seeds()),
    ]
}

const RP2040: u8 = 0;
const AVR: u8 = 1;

fn gdb_seeds() -> Seeds {
    let script = |chip: u8, lines: &[&str]| [&[chip], lines.join("\n").as_bytes()].concat();
    let hello = "$qSupported:multiprocess+;swbreak+;hwbreak+;vContSupported+";
    let looks = [hello, "+", "$?", "$qfThreadInfo", "$Hgp1.1", "$g", "$m20000000,40", "$pf", "$D"];
    let breaks = [hello, "$Z1,20000044,2", "$vCont;c", "", "", "$z1,20000044,2", "$vCont;s:p1.1;c", "", "$D"];
    let watches = [hello, "$Z2,20000100,4", "$vCont;c", "", "$Z4,800100,1", "$vCont;c", "", "\x03", "$k"];
    let writes = [
        "$QStartNoAckMode",
        "$M20000100,4:01020304",
        "$X800100,2:}\x03a",
        "$P1=01000000",
        "$G00",
        "$m20000100,4",
    ];
    let writes_avr =
        ["$QStartNoAckMode", "$M800100,2:0102", "$X800025,1:}\x03", "$P18=7f", "$P22=6a000000", "$m800100,4"];
    let ends = [
        "$Mffffffff,1:00",
        "$Xffffffff,1:a",
        "$mffffffff,10",
        "$Z3,0,ffffffff",
        "$Z4,fffffffe,4",
        "$vFlashErase:ffffffff,ffffffff",
        "$vFlashWrite:ffffffff:aa",
        "$m0,ffffffff",
        "$P22=ffffffff",
        "$Pd=ffffffff",
        "$vCont;r0,ffffffff:p1.1",
        "",
        "\x03",
        "$k",
    ];
    let odd = [
        "$Hg-1",
        "$Hgp1.9",
        "$G0011",
        "$qXfer:features:read:target.xml:ffffffffffffffff,ffff",
        "$qRcmd,7",
        "$Tp1.0",
        "$pffff",
        "$vAttach;1",
        "$vRun;",
        "$R00",
        "$qThreadExtraInfo,p1.9",
        "$qCRC:0,ff",
        "$c",
        "",
        "$S05",
        "",
        "$D;9",
    ];
    let flash = [
        "$qXfer:memory-map:read::0,400",
        "$vFlashErase:10000000,1000",
        "$vFlashWrite:10000000:abc",
        "$vFlashDone",
    ];
    let monitor =
        ["$qRcmd,74696d65", "$qRcmd,7265736574", "$qRcmd,70696e73", "$qRcmd,72657365742072756e", "", ""];
    let steps =
        [hello, "$vCont;s:p1.1", "", "$vCont;r20000044,2000004c:p1.1", "", "$vCont;c:p1.2", "", "\x03", "$D"];
    let avr = [hello, "$g", "$m800100,10", "$Z0,6a,2", "$vCont;c", "", "$p22", "$vCont;s:p1.1;c", "", "$D"];
    vec![
        ("valid-looks", script(RP2040, &looks)),
        ("valid-breakpoint", script(RP2040, &breaks)),
        ("valid-watchpoint", script(RP2040, &watches)),
        ("valid-writes", script(RP2040, &writes)),
        ("valid-writes-avr", script(AVR, &writes_avr)),
        ("valid-ends-of-memory", script(RP2040, &ends)),
        ("valid-ends-of-memory-avr", script(AVR, &ends)),
        ("valid-odd-packets", script(RP2040, &odd)),
        ("valid-odd-packets-avr", script(AVR, &odd)),
        ("valid-flash", script(RP2040, &flash)),
        ("valid-monitor", script(AVR, &monitor)),
        ("valid-steps", script(RP2040, &steps)),
        ("valid-avr", script(AVR, &avr)),
        ("valid-noise", script(RP2040, &["$$#00", "#", "-", "+", "$m0,4#zz", "\x03\x03", "}", "$m"])),
    ]
}

fn file_seeds() -> Seeds {
    let pico = "title = \"A board\"\nmcu = \"rp2040\"\ncrystal = \"12 MHz\"\nflash = \"1 MiB\"\n[pins]\nLED = 25\n\
        [chips.led]\nkind = \"led\"\npin = \"LED\"\n[chips.key]\nkind = \"button\"\npin = 3\n";
    let uno =
        "mcu = \"atmega328p\"\n[pins]\nD10 = 2\n[chips.net]\nkind = \"w5100\"\nspi = 0\nselect = \"D10\"\n";
    let w5500 =
        "mcu = \"rp2040\"\n[chips.net]\nkind = \"w5500\"\nspi = 0\nselect = 17\nreset = 20\ninterrupt = 21\n";
    vec![
        ("valid-pico", pico.into()),
        ("valid-uno", uno.into()),
        ("valid-network", w5500.into()),
        ("valid-least", "mcu = 'atmega2560'\n".into()),
        ("invalid-toml", "mcu = \"rp2040\n".into()),
        ("invalid-kind", "mcu = 'rp2040'\n[chips.a]\nkind = 'lead'\n".into()),
        ("invalid-pin", "mcu = 'rp2040'\npins = { A = 30 }\n".into()),
        (
            "invalid-field",
            "mcu = 'rp2040'\n[chips.\"a\\nb\"]\nkind = 'led'\npin = 1\ncolour = 'red'\n".into(),
        ),
    ]
}

/// Intel HEX of some bytes.
fn hex(address: u16, bytes: &[u8]) -> String {
    let record = |address: u16, kind: u8, content: &[u8]| {
        let [high, low] = address.to_be_bytes();
        let mut all = [&[content.len() as u8, high, low, kind], content].concat();
        all.push(all.iter().fold(0u8, |sum, byte| sum.wrapping_sub(*byte)));
        format!(":{}\n", all.iter().map(|byte| format!("{byte:02X}")).collect::<String>())
    };
    let rows = (address..).step_by(16).zip(bytes.chunks(16)).map(|(at, row)| record(at, 0, row));
    rows.chain([record(0, 1, &[])]).collect()
}

/// An ELF with one segment, and no sections (ELF, "ELF Header" and "Program Header").
fn elf(machine: u16, address: u32, bytes: &[u8]) -> Vec<u8> {
    const HEAD_BYTES: u32 = 52;
    const PROGRAM_BYTES: u32 = 32;
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let half = |file: &mut Vec<u8>, value: u16| file.extend(value.to_le_bytes());
    let word = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
    half(&mut file, 2);
    half(&mut file, machine);
    for value in [1, address, HEAD_BYTES, 0, 0] {
        word(&mut file, value);
    }
    for value in [HEAD_BYTES as u16, PROGRAM_BYTES as u16, 1, 40, 0, 0] {
        half(&mut file, value);
    }
    let length = bytes.len() as u32;
    for value in [1, HEAD_BYTES + PROGRAM_BYTES, address, address, length, length, 5, 2] {
        word(&mut file, value);
    }
    [file, bytes.to_vec()].concat()
}

fn image_seeds() -> Seeds {
    // LDI R20, OUT to PORTB, a jump to itself.
    let code = [0x4f, 0xef, 0x45, 0xb9, 0xff, 0xcf];
    let file = |choice: u8, bytes: &[u8]| [&[choice], bytes].concat();
    let hex_file = |choice: u8, text: String| file(choice, text.as_bytes());
    let vectors = [[0x0c, 0x94, 0x00, 0x00]; 57].concat();
    let cut = hex(0, &code).trim_end().trim_end_matches(":00000001FF").to_owned();
    let set = [&[0, 0, 0][..], &code, b"\n\0\0\x04\0\x82\n\0\0\0\xff\xd8\xff\n\0\0\x01"].concat();
    vec![
        ("valid-hex", hex_file(0, hex(0, &code))),
        ("valid-hex-2560", hex_file(2, hex(0, &code))),
        ("valid-boot-loader", hex_file(0, hex(0x7e00, &code))),
        ("valid-records-set", file(0x80, &set)),
        ("valid-elf", file(1, &elf(83, 0, &code))),
        ("valid-raw", file(0, &vectors[..104])),
        ("valid-raw-2560", file(2, &vectors)),
        ("invalid-no-end", hex_file(0, cut)),
        ("invalid-sum", hex_file(0, hex(0, &code).replacen("EF", "EE", 1))),
        ("invalid-machine", file(0, &elf(40, 0, &code))),
        ("invalid-outside", file(0, &elf(83, 0x9000, &code))),
        ("invalid-start", hex_file(0, hex(0x100, &code))),
    ]
}

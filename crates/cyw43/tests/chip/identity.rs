//! What the firmware says of itself: the texts stand in what the driver uploads, and their form is that of logs of boards.

use crate::driver::{Driver, HABITS, RAM_BYTES, ms};

/// Vectors, what `ver` and `cap` are made of, and the last words, as the vendor's images have them.
const IMAGE: [&[u8]; 4] = [
    &[0x55; 256],
    b"wl%d: %s %s version %s FWID 01-%x\n\0Nov 29 2021\x0022:49:09\0\x02\0\0ap \0sta \0wme \0sae \0wlc\0",
    &[0xaa; 256],
    b"43439a0-roml/sdio-g-sae Version: 7.95.49 (2271bb6 CY) CRC: b7a28ef3 Date: Mon Ucode Ver: 1043.2162 FWID 01-c51d9400\0",
];

fn started() -> Driver {
    let mut driver = Driver::with(HABITS[0], Vec::new());
    driver.write_backplane(0, &IMAGE.concat());
    driver.write_backplane(RAM_BYTES - 4, &(186u32 | !186 << 16).to_le_bytes());
    driver.set_core(1, 0);
    driver.wait(ms(200));
    while driver.take_frame().is_some() {}
    driver
}

fn text(driver: &mut Driver, variable: &str) -> String {
    let bytes = driver.get_variable(variable, 256);
    let end = bytes.iter().position(|byte| *byte == 0).expect("a text ends with 0");
    String::from_utf8(bytes[..end].to_vec()).expect("a text")
}

/// A table in two pieces, each with its header of flags, type, length and check sum.
fn load_table(driver: &mut Driver, customization: &str) {
    let mut table = vec![0; 60];
    table.extend(b"CLM DATA\0\0\x0c\0\x02\0");
    for (field, bytes) in
        [("RaspberryPi.PicoW", 20), ("1.29.4", 10), ("", 8), ("ClmImport: 1.47.1", 30), (customization, 20)]
    {
        table.extend(field.as_bytes());
        table.resize(table.len() + bytes - field.len(), 0);
    }
    table.extend([1; 100]);
    table.extend(b"2022-06-24 06:55:08\0");
    let (first, last) = table.split_at(80);
    for (flags, piece) in [(0x1002u16, first), (0x1004, last)] {
        let header =
            [&flags.to_le_bytes()[..], &2u16.to_le_bytes(), &(piece.len() as u32).to_le_bytes(), &[0; 4]];
        driver.set_variable("clmload", &[&header.concat(), piece].concat());
    }
}

#[test]
fn it_names_the_version_that_was_uploaded_as_boards_do() {
    // What a Pico W with this firmware prints.
    let said = "wl0: Nov 29 2021 22:49:09 version 7.95.49 (2271bb6 CY) FWID 01-c51d9400\n";
    assert_eq!(text(&mut started(), "ver"), said);
}

#[test]
fn it_names_its_features_so_that_drivers_know_of_wpa3() {
    let mut driver = started();
    assert_eq!(text(&mut driver, "cap"), "ap sta wme sae ");
    assert!(driver.chip.take_notes().is_empty());
}

#[test]
fn it_names_the_regulatory_table_that_was_loaded() {
    let mut driver = started();
    assert_eq!(text(&mut driver, "clmver"), "");
    load_table(&mut driver, "v5 22/06/24");
    // What a Pico W with this table prints.
    let [head, tail] = [
        "API: 12.2\nData: RaspberryPi.PicoW\nCompiler: 1.29.4\nClmImport: 1.47.1\n",
        "Creation: 2022-06-24 06:55:08\n",
    ];
    assert_eq!(text(&mut driver, "clmver"), format!("{head}Customization: v5 22/06/24\n{tail}"));
    // Of the vendor's own tables, boards name none.
    load_table(&mut driver, "Broadcom-0.0");
    assert_eq!(text(&mut driver, "clmver"), format!("{head}{tail}"));
}

#[test]
fn a_stand_in_for_a_firmware_says_nothing() {
    let mut driver = Driver::with(HABITS[0], Vec::new());
    driver.start();
    for variable in ["ver", "cap", "clmver"] {
        assert_eq!(text(&mut driver, variable), "");
    }
}

//! A board file as the C header that the firmware is built with: crystal, flash, and where its Ethernet chip and LED are. Of
//! several the firmware knows the first.

use std::fmt::Write;

use mcu::outside::BOARD_WINDOW;

use super::file::{BoardFile, Part, WiznetPart};

impl BoardFile {
    /// The text of `board.h`. What the board does not have is not defined.
    pub fn header(&self) -> String {
        let mut text = format!(
            "/* {}: made from its board file, not to be edited. */\n#ifndef BOARD_H\n#define BOARD_H\n\n",
            one_comment(&self.title)
        );
        define(&mut text, "BOARD_CRYSTAL_HZ", &format!("{}u", self.crystal_hz));
        define(&mut text, "BOARD_FLASH_BYTES", &format!("{}u", self.flash_bytes));
        let (mut has_led, mut has_network) = (false, false);
        for part in self.chips.iter().map(|chip| &chip.part) {
            match part {
                Part::Led { pin } if !std::mem::replace(&mut has_led, true) => {
                    define(&mut text, "BOARD_LED", &format!("{pin}u"));
                }
                Part::Wiznet(network) if !std::mem::replace(&mut has_network, true) => {
                    define_wiznet(&mut text, part.kind(), network);
                }
                Part::IdealMac { interrupt } if !std::mem::replace(&mut has_network, true) => {
                    define_ideal_mac(&mut text, *interrupt);
                }
                _ => {}
            }
        }
        text.push_str("\n#endif\n");
        text
    }
}

/// A text that neither ends a comment nor leaves its line.
fn one_comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace(char::is_control, " ")
}

fn define(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "#define {name} {value}");
}

fn define_wiznet(text: &mut String, kind: &str, network: &WiznetPart) {
    define(text, &format!("BOARD_WIZNET_{}", kind.to_uppercase()), "1");
    define(text, "BOARD_NETWORK_SPI", &network.port.to_string());
    let pins = [
        ("MISO", network.miso),
        ("CSN", network.select),
        ("SCLK", network.clock),
        ("MOSI", network.mosi),
        ("RSTN", network.reset),
        ("INTN", network.interrupt),
    ];
    for (name, pin) in pins {
        if let Some(pin) = pin {
            define(text, &format!("BOARD_NETWORK_{name}"), &format!("{pin}u"));
        }
    }
}

fn define_ideal_mac(text: &mut String, interrupt: u8) {
    define(text, "BOARD_IDEAL_MAC", &format!("{BOARD_WINDOW:#010x}u"));
    define(text, "BOARD_NETWORK_INTN", &format!("{interrupt}u"));
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{BoardFile, find_board};

    #[test]
    fn the_header_of_a_board_names_its_chip_and_pins() {
        let header = find_board("w5100s-evb-pico").unwrap().header();
        for line in [
            "#define BOARD_CRYSTAL_HZ 12000000u",
            "#define BOARD_WIZNET_W5100S 1",
            "#define BOARD_NETWORK_CSN 17u",
            "#define BOARD_NETWORK_INTN 21u",
            "#define BOARD_LED 25u",
        ] {
            assert!(header.lines().any(|is| is == line), "{line} is missing in\n{header}");
        }
    }

    #[test]
    fn the_header_of_a_board_with_an_ideal_mac_says_where_it_is() {
        let header = find_board("ideal-mac").unwrap().header();
        for line in ["#define BOARD_IDEAL_MAC 0x60000000u", "#define BOARD_NETWORK_INTN 21u"] {
            assert!(header.lines().any(|is| is == line), "{line} is missing in\n{header}");
        }
    }

    #[test]
    fn of_several_leds_and_ethernet_chips_the_first_is_defined_once() {
        let chip = |name: &str, kind: &str| format!("[chips.{name}]\nkind = '{kind}'\n");
        let text = [
            "mcu = 'rp2040'\n".to_owned(),
            chip("red", "led") + "pin = 2\n",
            chip("green", "led") + "pin = 3\n",
            chip("mac", "ideal-mac") + "interrupt = 20\n",
            chip("first", "w5500") + "spi = 0\ninterrupt = 21\n",
            chip("second", "w5100") + "spi = 1\n",
        ];
        let header = BoardFile::parse(Path::new("b.toml"), &text.concat()).unwrap().header();
        let defined: Vec<&str> = header.lines().filter_map(|line| line.strip_prefix("#define ")).collect();
        let expected = [
            "BOARD_H",
            "BOARD_CRYSTAL_HZ 12000000u",
            "BOARD_FLASH_BYTES 2097152u",
            "BOARD_LED 2u",
            "BOARD_IDEAL_MAC 0x60000000u",
            "BOARD_NETWORK_INTN 20u",
        ];
        assert_eq!(defined, expected);
    }

    #[test]
    fn a_title_cannot_end_the_comment_that_it_stands_in() {
        let text = "mcu = 'rp2040'\ntitle = \"a */ b /*/ c\\nd\\\"";
        let header = BoardFile::parse(Path::new("b.toml"), &format!("{text}\"\n")).unwrap().header();
        let first = header.lines().next().unwrap();
        assert_eq!((first.matches("*/").count(), first.matches("/*").count()), (1, 1), "{first}");
        assert!(first.ends_with("not to be edited. */"), "{first}");
    }

    #[test]
    fn a_board_without_ethernet_has_no_network_pins() {
        assert!(!find_board("pico").unwrap().header().contains("NETWORK"));
    }
}

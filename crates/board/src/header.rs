//! A board file as the C header that the firmware is built with: microcontroller, crystal, flash, and where its Ethernet chip
//! and LED are. Of several the firmware knows the first.

use std::fmt::Write;

use super::file::BoardFile;

/// The definitions of a header under way.
#[derive(Debug)]
pub(super) struct Defines {
    text: String,
    /// What there is one of already.
    roles: Vec<&'static str>,
}

impl Defines {
    pub(super) fn define(&mut self, name: &str, value: &str) {
        let _ = writeln!(self.text, "#define {name} {value}");
    }

    /// Whether a part is the first one of its role, such as `network`.
    pub(super) fn is_first(&mut self, role: &'static str) -> bool {
        let is_first = !self.roles.contains(&role);
        self.roles.push(role);
        is_first
    }
}

impl BoardFile {
    /// The text of `board.h`. What the board does not have is not defined.
    pub fn header(&self) -> String {
        let text = format!(
            "/* {}: made from its board file, not to be edited. */\n#ifndef BOARD_H\n#define BOARD_H\n\n",
            one_comment(&self.title)
        );
        let mut defines = Defines { text, roles: Vec::new() };
        defines.define("BOARD_MCU", &format!("\"{}\"", self.mcu.facts.name));
        defines.define("BOARD_CRYSTAL_HZ", &format!("{}u", self.crystal_hz));
        defines.define("BOARD_FLASH_BYTES", &format!("{}u", self.flash_bytes));
        for part in &self.parts {
            (part.kind.header)(part, &mut defines);
        }
        defines.text + "\n#endif\n"
    }
}

/// A text that neither ends a comment nor leaves its line.
fn one_comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace(char::is_control, " ")
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
            "BOARD_MCU \"rp2040\"",
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

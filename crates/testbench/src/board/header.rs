//! A board file as the C header that the firmware is built with: crystal, flash, and where its Ethernet chip and LED are.

use std::fmt::Write;

use mcu::outside::BOARD_WINDOW;

use super::file::{BoardFile, Part, WiznetPart};

impl BoardFile {
    /// The text of `board.h`. What the board does not have is not defined.
    pub fn header(&self) -> String {
        let mut text = format!(
            "/* {}: made from its board file, not to be edited. */\n#ifndef BOARD_H\n#define BOARD_H\n\n",
            self.title
        );
        define(&mut text, "BOARD_CRYSTAL_HZ", &format!("{}u", self.crystal_hz));
        define(&mut text, "BOARD_FLASH_BYTES", &format!("{}u", self.flash_bytes));
        for chip in &self.chips {
            match &chip.part {
                Part::Led { pin } => define(&mut text, "BOARD_LED", &format!("{pin}u")),
                Part::Wiznet(network) => define_network(&mut text, chip.part.kind(), network),
                Part::IdealMac { interrupt } => define_ideal_mac(&mut text, *interrupt),
                _ => {}
            }
        }
        text.push_str("\n#endif\n");
        text
    }
}

fn define(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "#define {name} {value}");
}

fn define_network(text: &mut String, kind: &str, network: &WiznetPart) {
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

fn define_ideal_mac(text: &mut String, interrupt: Option<u8>) {
    define(text, "BOARD_IDEAL_MAC", &format!("{BOARD_WINDOW:#010x}u"));
    if let Some(pin) = interrupt {
        define(text, "BOARD_NETWORK_INTN", &format!("{pin}u"));
    }
}

#[cfg(test)]
mod tests {
    use crate::board::find_board;

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
    fn a_board_without_ethernet_has_no_network_pins() {
        assert!(!find_board("pico").unwrap().header().contains("NETWORK"));
    }
}

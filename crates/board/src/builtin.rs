//! The boards that Airwire brings along.

use std::path::Path;

use super::{BoardError, BoardFile};

const FILES: [(&str, &str); 20] = [
    ("pico", include_str!("../../../boards/pico.toml")),
    ("pico-w", include_str!("../../../boards/pico-w.toml")),
    ("w5500-evb-pico", include_str!("../../../boards/w5500-evb-pico.toml")),
    ("w5100s-evb-pico", include_str!("../../../boards/w5100s-evb-pico.toml")),
    ("w6100-evb-pico", include_str!("../../../boards/w6100-evb-pico.toml")),
    ("w55rp20-evb-pico", include_str!("../../../boards/w55rp20-evb-pico.toml")),
    ("pico-w5200", include_str!("../../../boards/pico-w5200.toml")),
    ("pico-w5100", include_str!("../../../boards/pico-w5100.toml")),
    ("pico-lan8720", include_str!("../../../boards/pico-lan8720.toml")),
    ("pico-rmii-ethernet", include_str!("../../../boards/pico-rmii-ethernet.toml")),
    ("pico-usb-network", include_str!("../../../boards/pico-usb-network.toml")),
    ("ideal-mac", include_str!("../../../boards/ideal-mac.toml")),
    ("arduino-uno", include_str!("../../../boards/arduino-uno.toml")),
    ("arduino-uno-w5500", include_str!("../../../boards/arduino-uno-w5500.toml")),
    ("arduino-uno-w5100", include_str!("../../../boards/arduino-uno-w5100.toml")),
    ("arduino-mega", include_str!("../../../boards/arduino-mega.toml")),
    ("arduino-mega-w5500", include_str!("../../../boards/arduino-mega-w5500.toml")),
    ("goldilocks-1284p", include_str!("../../../boards/goldilocks-1284p.toml")),
    ("goldilocks-1284p-w5100", include_str!("../../../boards/goldilocks-1284p-w5100.toml")),
    ("goldilocks-1284p-w5200", include_str!("../../../boards/goldilocks-1284p-w5200.toml")),
];

/// The names of the boards that there are.
pub fn board_names() -> Vec<&'static str> {
    FILES.iter().map(|(name, _)| *name).collect()
}

/// A board by the name of one that Airwire brings along, or by the path of a file.
///
/// # Errors
/// When there is none, or its file describes no board.
pub fn find_board(name: &str) -> Result<BoardFile, BoardError> {
    if let Some((name, text)) = FILES.iter().find(|(known, _)| *known == name) {
        return BoardFile::parse(&Path::new("boards").join(format!("{name}.toml")), text);
    }
    if Path::new(name).extension().is_some_and(|ending| ending == "toml") {
        return BoardFile::open(Path::new(name));
    }
    let names = board_names();
    let hint = match fields::nearest(name, &names) {
        Some(near) => format!("; the nearest is {near}"),
        None => format!("; there are {}, and files that end in .toml", names.join(", ")),
    };
    Err(BoardError::NoBoard { name: name.to_owned(), hint })
}

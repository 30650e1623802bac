//! Boards with the firmware's own images, for tests that skip where those are not built.

use std::collections::BTreeMap;
use std::path::Path;

use board::{Board, BoardOptions, find_board, read_image, with_settings};
use lan::NetworkSetup;

/// A W5500-EVB-Pico with one of the images, without a PC; nothing where it is not built.
pub(crate) fn board(image: &str, settings: &[(&str, &str)], seed: u64) -> Option<Board> {
    let network = NetworkSetup { pc: None, traffic: Vec::new(), ..NetworkSetup::default() };
    board_on("w5500-evb-pico", image, settings, BoardOptions { seed, network, ..BoardOptions::default() })
}

/// A board by its name with one of its images; nothing where that is not built.
pub(crate) fn board_on(
    name: &str,
    image: &str,
    settings: &[(&str, &str)],
    options: BoardOptions,
) -> Option<Board> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/firmware").join(name).join(image);
    if !path.is_file() {
        testing::leave_out(&format!("{} is not built (make firmware)", path.display()));
        return None;
    }
    let settings: BTreeMap<String, String> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let image = with_settings(&read_image(&path, None).unwrap(), &settings).unwrap();
    let mut board = Board::new(find_board(name).unwrap(), options).unwrap();
    board.load_image(image).unwrap();
    Some(board)
}

//! Boards with the firmware's own images, for tests that skip where those are not built.

use std::collections::BTreeMap;
use std::path::Path;

use board::{Board, BoardOptions, find_board, read_image, with_settings};
use lan::NetworkSetup;

/// A W5500-EVB-Pico with one of the images, without a PC; nothing where it is not built.
pub(crate) fn board(image: &str, settings: &[(&str, &str)], seed: u64) -> Option<Board> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/firmware/w5500-evb-pico");
    let path = folder.join(image);
    if !path.is_file() {
        testing::leave_out(&format!("{} is not built (make firmware)", path.display()));
        return None;
    }
    let settings: BTreeMap<String, String> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let image = with_settings(&read_image(&path, None).unwrap(), &settings).unwrap();
    let network = NetworkSetup { pc: None, traffic: Vec::new(), ..NetworkSetup::default() };
    let options = BoardOptions { seed, network, ..BoardOptions::default() };
    let mut board = Board::new(find_board("w5500-evb-pico").unwrap(), options).unwrap();
    board.load_image(image).unwrap();
    Some(board)
}

//! Brings targets and suites to runs. For now the targets are capture files: [`captures::analyze`] reads and
//! pairs them, and [`run_folder::RunFolder`] keeps what was measured.

pub mod bench;
pub mod board;
pub mod board_rows;
pub mod captures;
mod control;
pub mod lan;
pub mod run_folder;
pub mod suite;
mod toml_file;
pub mod validation;

pub use control::Control;
pub use toml_file::Misplaced;

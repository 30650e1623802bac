//! Suites, their rows on targets of each kind, and the run folders that are written of them.

mod bench;
mod board_pair;
mod mock;
mod run_folder;
mod suite;
mod suite_addresses;
mod suite_boards;
mod suite_bounds;
mod suite_published;

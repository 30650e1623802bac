//! Network files, chips on wires and the PC's seats.

mod devices;
mod lan_pc;
mod long_blocks;
mod network_files;
mod network_fuzz_corpus;
mod roll_call;
mod wifi;

//! Tests of the boot ROM: as software sees it, through its tables and its registers.

mod conversions;
mod flash_functions;
mod floats;
mod memory_functions;
mod start;
mod tables;

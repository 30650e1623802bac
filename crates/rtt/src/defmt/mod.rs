//! What Rust images write with defmt: frames of a few bytes, whose texts are the names of symbols in the ELF. The form is
//! knurling-rs's (book.knurling.rs/defmt, "Encoding" and "Interned strings"); the grammar of its texts is the crate
//! `defmt-parser`.
//!
//! Its own decoder, the crate `defmt-decoder`, is not used. It has `serde_json` keep numbers as text for all of the program,
//! which would change what everything else writes, and a frame that an image makes up can end its process.

mod display;
mod format;
mod log;
mod rzcobs;
mod table;
mod values;

pub(crate) use log::DefmtLog;

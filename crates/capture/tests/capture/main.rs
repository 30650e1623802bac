//! Captures of every format, read, paired and written.

mod bad_input;
mod formats_compressed;
mod formats_pulseview;
mod formats_sigrok;
mod formats_vcd;
mod fuzz_corpus;
mod pairing;
mod support;
mod writers;

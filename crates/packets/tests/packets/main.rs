//! Recordings of packets: what they tell, and that no bytes make them fail.

mod fuzz_corpus;
mod recorders;
mod recordings;

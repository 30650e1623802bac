//! Wires, the switch, impairments and recordings of frames.

mod bits;
mod capture;
mod common;
mod impairments;
mod network;
mod properties;

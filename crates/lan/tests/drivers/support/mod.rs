//! What stands between drivers and the virtual network: the traits of embedded-hal, an executor in virtual time, a
//! network with a PC, and what runs on that PC.

#![allow(dead_code, reason = "tests and examples use it, each in part")]

pub(crate) mod executor;
pub(crate) mod hal;
pub(crate) mod peers;
pub(crate) mod world;

//! Whole boards with images, alone and wired to each other.

mod board;
mod built;
mod ideal_mac;
mod oneway_pair;
mod pin_wires;
mod radio;
mod serial_pair;
mod undriven_pins;
mod usb_network;
mod wiznet_pulses;

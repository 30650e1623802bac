//! The controller and the host against each other, with firmware in between that works through registers and memory.

mod controller;
mod driver;
mod enumeration;
mod firmware;
mod functions;
mod hostile;

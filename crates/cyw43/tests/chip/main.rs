//! The chip through its pins, as a driver meets it. The driver here is written from what drivers of others do on the bus, in each
//! of the word orders that they use.

mod boot;
mod bus;
mod driver;
mod hostile;
mod identity;
mod network;
mod turned_away;

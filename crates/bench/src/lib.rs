//! Suites and captures to runs: [`suite`] reads what is asked; [`target::Target`] is what a row is run on, of any kind in
//! [`targets`]; [`rows`] runs rows on all cores, and keeps what they measured in a run folder of crate `record`.
//! [`captures`] reads and pairs what an analyser saw, and [`validation`] holds the models against that.

pub mod captures;
pub mod rows;
pub mod suite;
pub mod target;
pub mod targets;
pub mod validation;

//! Suites and captures to runs: [`suite`] reads what is asked, [`rows`] and [`board_rows`] run it in virtual time,
//! [`captures`] reads and pairs what an analyser saw. What was measured goes to a run folder of crate `record`.
//! [`validation`] holds the models against captures.

pub mod board_rows;
pub mod captures;
pub mod rows;
pub mod suite;
pub mod validation;

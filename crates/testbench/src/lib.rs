//! Brings targets and suites to runs. For now the targets are capture files: [`captures::analyze`] reads and
//! pairs them, and [`run_folder::RunFolder`] keeps what was measured.

pub mod captures;
pub mod run_folder;
pub mod validation;

//! What the tests of links share: a link by its name and changed settings, what it refuses, and parts of its budget.
#![allow(dead_code, reason = "each test file uses what it needs")]

use links::{LinkError, Program, find};

/// A link with some settings changed.
pub(crate) fn program(link: &str, settings: &[(&str, &str)]) -> Program {
    tried(link, settings).expect("the settings are good")
}

/// What is said of settings that cannot be.
pub(crate) fn refusal(link: &str, settings: &[(&str, &str)]) -> String {
    tried(link, settings).expect_err("the settings are impossible").to_string()
}

fn tried(link: &str, settings: &[(&str, &str)]) -> Result<Program, LinkError> {
    let link = find(link)?;
    link.program(&link.settings_with(settings.iter().copied())?)
}

/// The mean of one part, in microseconds.
pub(crate) fn part_us(link: &str, settings: &[(&str, &str)], payload_bytes: u32, part: &str) -> f64 {
    let budget = program(link, settings).budget(payload_bytes);
    let line = budget.iter().find(|line| line.name == part).unwrap_or_else(|| panic!("{part}: {budget:?}"));
    line.mean.ps() as f64 / 1e6
}

/// The mean of all parts, in microseconds.
pub(crate) fn mean_us(link: &str, settings: &[(&str, &str)], payload_bytes: u32) -> f64 {
    program(link, settings).budget(payload_bytes).iter().map(|line| line.mean.ps() as f64 / 1e6).sum()
}

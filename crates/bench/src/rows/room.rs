//! Whether the memory holds what rows ask for. Running out of it cannot be told in a sentence when it happens: the system ends
//! the process. Leaves out systems other than Linux, which do not say what is free in a file.

use std::fs;

use super::ReadyRow;

/// What a sample takes from the simulation to the tables, measured at 20 million.
const BYTES_PER_SAMPLE: u64 = 160;

/// Refuses rows whose samples have no room. Links alone are asked: their rows last until they have all.
///
/// # Errors
/// With the row, what it takes and what there is, in one sentence.
pub fn check_room(rows: &[ReadyRow]) -> Result<(), String> {
    match available_bytes() {
        Some(free) => check_room_in(free, rows),
        None => Ok(()),
    }
}

fn check_room_in(free: u64, rows: &[ReadyRow]) -> Result<(), String> {
    let of_links = rows.iter().map(|ready| &ready.row).filter(|row| row.link().is_some());
    let Some(row) = of_links.max_by_key(|row| row.measurement.samples) else { return Ok(()) };
    let samples = row.measurement.samples.unwrap_or(0);
    let needed = samples.saturating_mul(BYTES_PER_SAMPLE);
    if needed <= free {
        return Ok(());
    }
    Err(format!(
        "{}: {samples} samples take some {} MB of memory, and {} MB are free; ask for fewer",
        row.name,
        needed / 1_000_000,
        free / 1_000_000
    ))
}

/// What the system has, and what this process may take of it.
fn available_bytes() -> Option<u64> {
    let system = fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = number_behind(&system, "MemAvailable:")?;
    let own = fs::read_to_string("/proc/self/limits")
        .ok()
        .and_then(|limits| number_behind(&limits, "Max address space"));
    Some((kilobytes * 1024).min(own.unwrap_or(u64::MAX)))
}

/// The number behind a name at the beginning of a line; a word, such as "unlimited", is none.
fn number_behind(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_and_the_unlimited_is_none() {
        let limits = "Limit                     Soft Limit\nMax address space         409600000            unlimited            bytes\n";
        assert_eq!(number_behind(limits, "Max address space"), Some(409_600_000));
        assert_eq!(number_behind("Max address space   unlimited   unlimited", "Max address space"), None);
        assert_eq!(number_behind("MemAvailable:   21000 kB\n", "MemAvailable:"), Some(21_000));
    }
}

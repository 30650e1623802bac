//! The name that a user probably meant.

/// The candidate that is fewest edits away, if it is near enough to be a slip of the finger.
pub fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let near = |candidate: &&&str| edits(name, candidate) <= 2.max(name.chars().count() / 3);
    candidates.iter().filter(near).min_by_key(|candidate| edits(name, candidate)).copied()
}

/// Levenshtein's distance.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_nonsense_finds_none() {
        let names = ["connection_interval", "tick", "sf"];
        assert_eq!(nearest("conection_interval", &names), Some("connection_interval"));
        assert_eq!(nearest("tic", &names), Some("tick"));
        assert_eq!(nearest("payload", &names), None);
    }
}

//! The name that a user probably meant.

/// The candidate that is fewest edits away, if it is near enough to be a slip of the finger.
pub fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let letters = name.chars().count();
    let most = 2.max(letters / 3);
    // A name differs from another at least by as many letters as it is longer; a very long one is compared with none.
    let may_be = candidates.iter().filter(|candidate| candidate.chars().count().abs_diff(letters) <= most);
    let distances = may_be.map(|candidate| (edits(name, candidate), *candidate));
    let near = distances.filter(|(distance, _)| *distance <= most);
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// Says what there is instead of a name that there is not: the nearest, or all.
pub fn hint(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(near) => format!("the nearest is {near}"),
        None => format!("there are {}", known.join(", ")),
    }
}

/// Letters to insert, drop or replace (Levenshtein).
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
        assert_eq!(nearest(&"tick".repeat(100_000), &names), None);
    }

    #[test]
    fn a_hint_names_the_nearest_or_all() {
        assert_eq!(hint("intervall", &["size", "interval"]), "the nearest is interval");
        assert_eq!(hint("colour", &["size", "interval"]), "there are size, interval");
    }

    #[test]
    fn distances_are_levenshteins() {
        // The usual example of the literature.
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!((edits("", "abc"), edits("abc", "abc")), (3, 0));
    }
}

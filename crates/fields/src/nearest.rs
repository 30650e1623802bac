//! The name that a user probably meant.

use std::cmp::Reverse;

/// The candidate that is fewest edits away, if it is near enough to be a slip of the finger. Capitals count as small letters,
/// and what joins words as one sign: a name that differs in these alone is always found.
pub fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let letters = name.chars().count();
    // At least one letter of a name has to be right.
    let most = 2.max(letters / 3).min(letters.saturating_sub(1));
    let name = folded(name);
    // A name differs from another at least by as many letters as it is longer; a very long one is compared with none.
    let may_be = candidates.iter().filter(|candidate| candidate.chars().count().abs_diff(letters) <= most);
    let distances = may_be.map(|candidate| {
        let other = folded(candidate);
        (edits(&name, &other), Reverse(common(&name, &other)), *candidate)
    });
    let near = distances.filter(|(distance, ..)| *distance <= most);
    near.min_by_key(|&(distance, common, _)| (distance, common)).map(|(.., candidate)| candidate)
}

/// The nearest, in words that end a sentence; nothing where none is near.
pub fn or_nearest(name: &str, known: &[&str]) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("; the nearest is {near}"))
}

/// Says what there is instead of a name that there is not: the nearest, or all.
pub fn hint(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(near) => format!("the nearest is {near}"),
        None => format!("there are {}", known.join(", ")),
    }
}

/// A name without what is easily mistaken.
fn folded(name: &str) -> String {
    name.to_lowercase().replace(['-', ' '], "_")
}

/// How many letters two names begin with alike.
fn common(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
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
    fn capitals_and_signs_between_words_are_no_difference() {
        let names = ["lora", "ble", "w5500-evb-pico", "connection_interval", "LED"];
        assert_eq!(nearest("LORA", &names), Some("lora"));
        assert_eq!(nearest("W5500_EVB_PICO", &names), Some("w5500-evb-pico"));
        assert_eq!(nearest("Connection-Intervall", &names), Some("connection_interval"));
        assert_eq!(nearest("led", &names), Some("LED"));
    }

    #[test]
    fn a_short_name_has_a_letter_in_common_with_what_it_is_near_to() {
        assert_eq!(nearest("x", &["up", "down"]), None);
        assert_eq!(nearest("of", &["on", "off"]), Some("off"), "of two as near the one that begins alike");
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

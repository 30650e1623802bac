//! The nearest of known names to one that is not known, for errors. Crate `links` has the same for the bench; neither may
//! import the other.

/// Says what there is instead.
pub(crate) fn hint(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(near) => format!("the nearest is {near}"),
        None => format!("there are {}", known.join(", ")),
    }
}

/// The known name that differs in the fewest letters, if those are few.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let most = (name.chars().count() / 3).max(2);
    let distances = known.iter().map(|candidate| (distance(name, candidate), *candidate));
    distances
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= most)
        .map(|(_, near)| near)
}

/// Letters to insert, drop or replace (Levenshtein). Names are short; of a long one only the beginning counts.
fn distance(name: &str, candidate: &str) -> usize {
    const MOST_LETTERS: usize = 64;
    let name: Vec<char> = name.chars().take(MOST_LETTERS).collect();
    let mut above: Vec<usize> = (0..=name.len()).collect();
    for (row, letter) in candidate.chars().enumerate() {
        let mut line = vec![row + 1];
        for (column, other) in name.iter().enumerate() {
            let replaced = above[column] + usize::from(*other != letter);
            line.push(replaced.min(above[column + 1] + 1).min(line[column] + 1));
        }
        above = line;
    }
    above[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_another_word_finds_all() {
        assert_eq!(hint("intervall", &["size", "interval"]), "the nearest is interval");
        assert_eq!(hint("colour", &["size", "interval"]), "there are size, interval");
    }

    #[test]
    fn distances_are_levenshteins() {
        // The usual example of the literature.
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!((distance("", "abc"), distance("abc", "abc")), (3, 0));
    }
}

//! In what two rows differ: a comparison that says what a change brings must change one thing.

use super::{BoardSetup, SameBut};

/// Something in which two setups differ: its name, its value here and there.
pub(super) type Difference = (String, Option<String>, Option<String>);

/// Everything in which two setups differ, settings by their names.
pub(super) fn differences(here: &BoardSetup, there: &BoardSetup) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut note = |what: &str, one: String, other: String| {
        if one != other {
            found.push((what.to_owned(), Some(one), Some(other)));
        }
    };
    note("board", here.board.clone(), there.board.clone());
    note("firmware", image(here).to_owned(), image(there).to_owned());
    note("network", here.network.text().to_owned(), there.network.text().to_owned());
    note("traffic", traffic_text(here), traffic_text(there));
    let mut names: Vec<&String> = here.settings.keys().chain(there.settings.keys()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let (one, other) = (here.settings.get(name), there.settings.get(name));
        if one != other {
            found.push((name.clone(), one.cloned(), other.cloned()));
        }
    }
    found
}

/// The image's name without the folder of its board: the same program built for another board differs in the board alone.
fn image(setup: &BoardSetup) -> &str {
    let of_board = setup.firmware.strip_prefix(&setup.board).and_then(|rest| rest.strip_prefix('/'));
    of_board.unwrap_or(&setup.firmware)
}

/// How many things that are. A suite compares thousands of rows with each other, so nothing is copied for it.
pub(super) fn difference_count(here: &BoardSetup, there: &BoardSetup) -> usize {
    // By names of fields, so that a new one is not forgotten.
    let BoardSetup { board, firmware: _, settings, network, traffic } = here;
    let fields = [
        *board != there.board,
        image(here) != image(there),
        *network != there.network,
        *traffic != there.traffic && traffic_text(here) != traffic_text(there),
    ];
    let changed = settings.iter().filter(|(name, value)| there.settings.get(*name) != Some(*value));
    let missing = there.settings.keys().filter(|name| !settings.contains_key(*name));
    fields.iter().filter(|differs| **differs).count() + changed.count() + missing.count()
}

/// What runs on the PC, as it would stand on a command line.
pub(super) fn traffic_text(setup: &BoardSetup) -> String {
    setup.traffic.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// The one difference between a row and another.
pub(super) fn same_but(row: &str, mut found: Vec<Difference>) -> Option<SameBut> {
    let (what, here, there) = found.pop().filter(|_| found.is_empty())?;
    Some(SameBut { row: row.to_owned(), what, here, there })
}

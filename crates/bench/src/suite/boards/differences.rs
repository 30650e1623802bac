//! In what two rows differ: a comparison that says what a change brings must change one thing.

use std::collections::BTreeMap;

use super::super::row::SameBut;
use super::{BoardSetup, peer};

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
    let (one, other) = images(here, there);
    note("firmware", one.to_owned(), other.to_owned());
    note("network", here.network.text().to_owned(), there.network.text().to_owned());
    note("traffic", traffic_text(here), traffic_text(there));
    note("lines", lines_text(here), lines_text(there));
    note("trigger", trigger_text(here), trigger_text(there));
    found.extend(of_settings("", &here.settings, &there.settings));
    found.extend(peer::differences(here, there));
    found
}

/// The settings in which two images differ, by their names behind a prefix.
pub(super) fn of_settings(
    prefix: &str,
    here: &BTreeMap<String, String>,
    there: &BTreeMap<String, String>,
) -> Vec<Difference> {
    let mut names: Vec<&String> = here.keys().chain(there.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let differs = names.into_iter().filter(|name| here.get(*name) != there.get(*name));
    differs
        .map(|name| (format!("{prefix}{name}"), here.get(name).cloned(), there.get(name).cloned()))
        .collect()
}

/// The names of both images; where each is in the folder of its board without that: the same program built for another board
/// differs in the board alone.
fn images<'a>(here: &'a BoardSetup, there: &'a BoardSetup) -> (&'a str, &'a str) {
    let of_board = |setup: &'a BoardSetup| {
        setup.firmware.strip_prefix(&setup.board).and_then(|rest| rest.strip_prefix('/'))
    };
    of_board(here).zip(of_board(there)).unwrap_or((&here.firmware, &there.firmware))
}

/// How many things that are. A suite compares thousands of rows with each other, so nothing is copied for it.
pub(super) fn difference_count(here: &BoardSetup, there: &BoardSetup) -> usize {
    // By names of fields, so that a new one is not forgotten.
    // What symbols name runs as it did without them.
    let BoardSetup { board, firmware: _, symbols: _, settings, network, traffic, peer: _, lines, trigger } =
        here;
    let (one, other) = images(here, there);
    let fields = [
        *board != there.board,
        one != other,
        *network != there.network,
        *traffic != there.traffic && traffic_text(here) != traffic_text(there),
        *lines != there.lines,
        *trigger != there.trigger,
    ];
    let changed = settings.iter().filter(|(name, value)| there.settings.get(*name) != Some(*value));
    let missing = there.settings.keys().filter(|name| !settings.contains_key(*name));
    let of_peers = peer::differences(here, there).len();
    fields.iter().filter(|differs| **differs).count() + changed.count() + missing.count() + of_peers
}

/// What runs on the PC, as it would stand on a command line.
pub(super) fn traffic_text(setup: &BoardSetup) -> String {
    setup.traffic.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// What is between the boards.
fn lines_text(setup: &BoardSetup) -> String {
    if setup.lines.is_empty() {
        return "none".to_owned();
    }
    setup.lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn trigger_text(setup: &BoardSetup) -> String {
    setup.trigger.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string)
}

/// The one difference between a row and another.
pub(super) fn same_but(row: &str, mut found: Vec<Difference>) -> Option<SameBut> {
    let (what, here, there) = found.pop().filter(|_| found.is_empty())?;
    Some(SameBut { row: row.to_owned(), what, here, there })
}

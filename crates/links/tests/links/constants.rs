//! The constants in `params/*.toml` are those that the models read: none is missing with any two settings changed, and
//! none is there in vain.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use links::{Definition, Params, Settings, Takes, all};

/// Values of a setting that may lead through other code: words, both positions of a switch, the ends of a range.
fn values(kind: &Takes) -> Vec<String> {
    match kind {
        Takes::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        Takes::Switch => vec!["on".to_owned(), "off".to_owned()],
        Takes::Time { lowest, highest } => vec![lowest.to_string(), highest.to_string(), "none".to_owned()],
        Takes::Integer { lowest, highest, .. } | Takes::Frequency { lowest, highest } => {
            vec![lowest.to_string(), highest.to_string()]
        }
        Takes::Number { lowest, highest, .. } => vec![lowest.to_string(), highest.to_string()],
        other => panic!("no link has a setting that takes {other}"),
    }
}

/// Defaults, and every pair of values of two settings; what the link refuses is among them.
fn all_settings(link: &Definition) -> Vec<Settings> {
    let each: Vec<Vec<(&str, String)>> = link
        .settings
        .iter()
        .map(|setting| values(&setting.takes).into_iter().map(|value| (setting.name, value)).collect())
        .collect();
    let mut found = vec![link.defaults()];
    for (place, firsts) in each.iter().enumerate() {
        for first in firsts {
            let seconds = each[place + 1..].iter().flatten().chain([first]);
            let pairs = seconds.map(|second| [first, second].map(|(name, value)| (*name, value.as_str())));
            found.extend(pairs.filter_map(|pair| link.settings_with(pair).ok()));
        }
    }
    found
}

/// A file's constants, each with its lines.
fn sections(text: &str) -> BTreeMap<&str, &str> {
    let starts: Vec<usize> = text.match_indices("\n[").map(|(at, _)| at + 1).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let named = |(start, end): (&usize, usize)| {
        let section = &text[*start..end];
        (&section[1..section.find(']').expect("a section has a name")], section)
    };
    starts.iter().zip(ends).map(named).collect()
}

/// Whether putting the link together fails without the constant, with some settings.
fn reads(link: &Definition, section: &str, settings: &[Settings]) -> bool {
    let without = Params::parse(&link.params.replacen(section, "", 1));
    let builds = |settings: &Settings| {
        panic::catch_unwind(AssertUnwindSafe(|| (link.build)(settings, &without).map(|_| ()))).is_ok()
    };
    !settings.iter().all(builds)
}

#[test]
fn the_constants_are_those_that_the_links_read() {
    let linked: Vec<(&Definition, Vec<Settings>)> =
        all().iter().map(|link| (link, all_settings(link))).collect();
    for (link, variants) in &linked {
        for settings in variants {
            // A refusal in words is an answer; a constant that is missing is a panic.
            let _ = link.program(settings);
        }
    }
    let said = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let unread = unread(&linked);
    panic::set_hook(said);
    assert!(unread.is_empty(), "no link reads {unread:?}");
}

/// The constants of all files that can be taken away without any link noticing.
fn unread(linked: &[(&Definition, Vec<Settings>)]) -> BTreeSet<String> {
    let mut unread = BTreeSet::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("params");
    for entry in fs::read_dir(folder).expect("the crate has a folder params").map(Result::unwrap) {
        // A hop is no link: nothing here puts it together.
        if entry.file_name() == "wifi-hop.toml" {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap();
        let readers: Vec<_> = linked.iter().filter(|(link, _)| link.params.contains(text.as_str())).collect();
        for (name, section) in sections(&text) {
            if !readers.iter().any(|(link, settings)| reads(link, section, settings)) {
                unread.insert(format!("{}: {name}", entry.file_name().display()));
            }
        }
    }
    unread
}

//! `peer` of `[boards.<entry>]`: a second board at the other end of the wire, in the place of the PC.

use std::collections::BTreeMap;

use super::super::row::{Measurement, Quantity};
use super::differences::Difference;
use super::fields::PEER_FIELDS;
use super::{BoardSetup, DEFAULT_BOARD};
use fields::toml_file::{Misplaced, TomlFile, Value, fields_of, plain, shown, told};

/// What stands for no peer in a comparison.
const NO_PEER: &str = "the PC";

/// A second board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerSetup {
    /// The board: a name, or a file.
    pub board: String,
    /// The image's file.
    pub firmware: String,
    /// An ELF of the same build, for an image without names.
    pub symbols: Option<String>,
    /// Settings of the image that are changed.
    pub settings: BTreeMap<String, String>,
}

impl PeerSetup {
    /// From a table of the suite; what that does not give is as it was `before`, in the entry of `same_but`.
    pub(super) fn read(
        file: TomlFile<'_>,
        field: &str,
        value: &Value<'_>,
        before: Option<Self>,
    ) -> Result<Self, Misplaced> {
        let fields = fields_of(file.table_of(field, value)?);
        file.refuse_unknown(&format!("{field}."), &fields, &::fields::names(PEER_FIELDS))?;
        let is_new = before.is_none();
        let mut peer = before.unwrap_or_else(|| Self {
            board: DEFAULT_BOARD.to_owned(),
            firmware: String::new(),
            symbols: None,
            settings: BTreeMap::new(),
        });
        // The names of one image are not those of another.
        if fields.iter().any(|(name, ..)| *name == "firmware") {
            peer.symbols = None;
        }
        for (name, _, value) in &fields {
            let within = format!("{field}.{name}");
            match *name {
                "board" => peer.board = name_of(file, &within, value)?,
                "firmware" => peer.firmware = name_of(file, &within, value)?,
                "symbols" => peer.symbols = Some(name_of(file, &within, value)?),
                _ => peer.settings.extend(settings(file, &within, value)?),
            }
        }
        if is_new && peer.firmware.is_empty() {
            let message = told(
                field,
                ": firmware is missing, such as firmware = \"w5500-evb-pico/pingpong_server-hardware.elf\"",
            );
            return Err(file.error(value.span(), message));
        }
        Ok(peer)
    }
}

fn name_of(file: TomlFile<'_>, field: &str, value: &Value<'_>) -> Result<String, Misplaced> {
    let name = file.text_of(field, value)?;
    if name.trim().is_empty() {
        return Err(file.error(value.span(), told(field, format!(" is {name:?}, but it takes a name"))));
    }
    Ok(name)
}

fn settings(
    file: TomlFile<'_>,
    field: &str,
    value: &Value<'_>,
) -> Result<BTreeMap<String, String>, Misplaced> {
    let one = |(name, span, value): (&str, _, &Value<'_>)| {
        let text = plain(value.get_ref()).ok_or_else(|| {
            let shown = shown(value.get_ref());
            let message = told(
                format!("{field}.{name}"),
                format!(" is {shown}, but a setting of a peer is a text, a number, true or false"),
            );
            file.error(span, message)
        })?;
        Ok((name.to_owned(), text))
    };
    fields_of(file.table_of(field, value)?).into_iter().map(one).collect()
}

/// What an entry with a peer cannot have as well: the field, and why.
pub(super) fn conflict(setup: &BoardSetup, measurement: &Measurement) -> Option<(&'static str, String)> {
    if setup.peer.is_none() {
        if !setup.lines.is_empty() {
            let message = "they are given, but there is no peer at their other end; give peer";
            return Some(("lines", message.to_owned()));
        }
        let message = "it is given, but there is no peer whose pin would end a message; give peer";
        return setup.trigger.as_ref().map(|_| ("trigger", message.to_owned()));
    }
    if !setup.traffic.is_empty() {
        let message = "with a peer there is no PC to run it; leave traffic out, or take peer out";
        return Some(("traffic", message.to_owned()));
    }
    if let Some(of) = &measurement.of {
        let message =
            format!("it is {of:?}, but with a peer the messages are the two boards' own; leave of out");
        return Some(("of", message));
    }
    let quantity = measurement.quantity;
    if let Some(trigger) = &setup.trigger {
        if quantity != Quantity::Latency {
            let message = format!("it is {:?}, but edges tell a latency; leave measure out", quantity.name());
            return Some(("measure", message));
        }
        let (from, limit) = (trigger.from, measurement.limit);
        let message =
            format!("the first edge is at {from}, and the row ends at {limit} (limit); give a longer limit");
        return (from >= limit).then_some(("trigger", message));
    }
    (!matches!(quantity, Quantity::Messages | Quantity::Latency)).then(|| {
        let message =
            format!("it is {:?}, but two boards play ping-pong: messages or latency", quantity.name());
        ("measure", message)
    })
}

/// In what the peers of two setups differ.
pub(super) fn differences(here: &BoardSetup, there: &BoardSetup) -> Vec<Difference> {
    let (one, other) = match (&here.peer, &there.peer) {
        (None, None) => return Vec::new(),
        (Some(one), Some(other)) => (one, other),
        (one, other) => {
            let text = |peer: &Option<PeerSetup>| {
                Some(peer.as_ref().map_or_else(|| NO_PEER.to_owned(), |peer| peer.firmware.clone()))
            };
            return vec![("peer".to_owned(), text(one), text(other))];
        }
    };
    let mut found = Vec::new();
    for (name, one, other) in
        [("peer.board", &one.board, &other.board), ("peer.firmware", &one.firmware, &other.firmware)]
    {
        if one != other {
            found.push((name.to_owned(), Some(one.clone()), Some(other.clone())));
        }
    }
    found.extend(super::differences::of_settings("peer.", &one.settings, &other.settings));
    found
}

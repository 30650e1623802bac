//! What runs on the PC, as a user says it: a kind of client or server with its options, and when it begins.

use std::net::Ipv4Addr;

use traffic::Machine;
use units::Picoseconds;

/// Where an option takes an address, this word stands for the board's.
const BOARD: &str = "board";
/// What a client's options are checked with before the board's address is known.
const ANY_ADDRESS: Ipv4Addr = Ipv4Addr::new(192, 168, 1, 100);

/// A client or a server of the PC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrafficSetup {
    /// What the user calls it.
    pub name: String,
    /// Its kind, as [`traffic::KINDS`] has it.
    pub kind: String,
    /// Its options, as they were written.
    pub options: Vec<(String, String)>,
    /// When it begins, at the earliest.
    pub start: Picoseconds,
}

impl TrafficSetup {
    /// What every PC offers unless it is told otherwise: each server under the name of its kind.
    pub fn services() -> Vec<Self> {
        let server = |kind: &str| Self {
            name: kind.to_owned(),
            kind: kind.to_owned(),
            options: Vec::new(),
            start: Picoseconds::ZERO,
        };
        traffic::KINDS.iter().filter(|kind| kind.serves).map(|kind| server(kind.name)).collect()
    }

    /// From the fields of a network file: `kind` and `start`, and the options of the kind. The kind is the name where none is
    /// given.
    ///
    /// # Errors
    /// A sentence that begins with the field.
    pub fn parse(name: &str, mut fields: Vec<(String, String)>) -> Result<Self, String> {
        let mut take = |wanted: &str| {
            let place = fields.iter().position(|(field, _)| field == wanted);
            place.map(|place| fields.remove(place).1)
        };
        let kind = take("kind").unwrap_or_else(|| name.to_owned());
        let start = match take("start") {
            None => Picoseconds::ZERO,
            Some(text) => text.parse().map_err(|error| format!(".start: {error}"))?,
        };
        let one = Self { name: name.to_owned(), kind, options: fields, start };
        one.machine(Some(ANY_ADDRESS))?;
        Ok(one)
    }

    /// Whether it needs the board's address.
    pub fn needs_board(&self) -> bool {
        self.options.iter().any(|(_, value)| names_board(value))
    }

    /// Makes it; `board` is the board's address where it is known.
    ///
    /// # Errors
    /// A sentence that begins with the field.
    pub fn machine(&self, board: Option<Ipv4Addr>) -> Result<Box<dyn Machine>, String> {
        let resolved = |value: &String| match board {
            Some(address) if names_board(value) => value.replacen(BOARD, &address.to_string(), 1),
            _ => value.clone(),
        };
        let options: Vec<(String, String)> =
            self.options.iter().map(|(name, value)| (name.clone(), resolved(value))).collect();
        let options: Vec<(&str, &str)> =
            options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        traffic::machine(&self.kind, &options).map_err(|error| format!(": {error}"))
    }
}

/// `board`, or `board:80`.
fn names_board(value: &str) -> bool {
    value.strip_prefix(BOARD).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

//! `lines` of `[boards.<entry>]`: serial lines between the board and its peer, in the place of the Ethernet wire. Each goes
//! from a pin of one to a pin of the other, which the suite names with whose it is: `board.GP4`, `peer.GP5`.

use std::fmt;

use board::Side;
use fields::toml_file::{Misplaced, TomlFile, Value, fields_of, shown, told};
use toml::de::DeValue;

use super::fields::LINE_FIELDS;

/// More lines than two chips have UARTs are refused when boards and pins are known.
const MOST_LINES: usize = 16;
/// Whose pins there are.
const ENDS: [(&str, Side); 2] = [("board", Side::First), ("peer", Side::Second)];

/// A pin of either board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinePin {
    /// Whose it is.
    pub side: Side,
    /// As the suite names it.
    pub pin: String,
}

/// A serial line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineSetup {
    /// The pin that drives it.
    pub from: LinePin,
    /// The pin that receives it.
    pub to: LinePin,
}

impl LineSetup {
    /// All lines of an entry.
    pub(super) fn read(file: TomlFile<'_>, field: &str, value: &Value<'_>) -> Result<Vec<Self>, Misplaced> {
        let DeValue::Array(list) = value.get_ref() else {
            let message = told(
                field,
                format!(
                    " is {}, but it takes a list, such as [{{ from = \"board.GP4\", to = \"peer.GP5\" }}]",
                    shown(value.get_ref())
                ),
            );
            return Err(file.error(value.span(), message));
        };
        if list.is_empty() || list.len() > MOST_LINES {
            let message = told(field, format!(" has {} lines, but it takes 1 to {MOST_LINES}", list.len()));
            return Err(file.error(value.span(), message));
        }
        list.iter().map(|value| Self::one(file, field, value)).collect()
    }

    fn one(file: TomlFile<'_>, field: &str, value: &Value<'_>) -> Result<Self, Misplaced> {
        let fields = fields_of(file.table_of(field, value)?);
        file.refuse_unknown(&format!("{field}."), &fields, &::fields::names(LINE_FIELDS))?;
        let pin = |name: &str, example: &str| {
            let found = fields.iter().find(|(known, ..)| *known == name);
            let Some((_, _, value)) = found else {
                let message = told(field, format!(": {name} is missing, such as {name} = \"{example}\""));
                return Err(file.error(value.span(), message));
            };
            LinePin::read(file, &format!("{field}.{name}"), value)
        };
        let line = Self { from: pin("from", "board.GP4")?, to: pin("to", "peer.GP5")? };
        if line.from.side == line.to.side {
            let message = told(
                field,
                format!(
                    ": a line from {} to {} has both ends on one board; a line joins the two, and a part of kind wire \
                 joins pins of one",
                    line.from, line.to
                ),
            );
            return Err(file.error(value.span(), message));
        }
        Ok(line)
    }
}

impl LinePin {
    fn read(file: TomlFile<'_>, field: &str, value: &Value<'_>) -> Result<Self, Misplaced> {
        let text = file.text_of(field, value)?;
        let (whose, pin) = text.split_once('.').unwrap_or(("", &text));
        if let Some((_, side)) = ENDS.iter().find(|(name, _)| *name == whose)
            && !pin.trim().is_empty()
        {
            return Ok(Self { side: *side, pin: pin.to_owned() });
        }
        let hint = match fields::nearest(whose, &ENDS.map(|(name, _)| name)) {
            Some(near) => format!("the nearest is {near}.{pin}"),
            None => "it begins with board. or peer.".to_owned(),
        };
        let message = told(
            field,
            format!(" is {text:?}, but it takes a pin of either board, such as \"board.GP4\"; {hint}"),
        );
        Err(file.error(value.span(), message))
    }
}

impl fmt::Display for LinePin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, _) = ENDS[self.side as usize];
        write!(out, "{name}.{}", self.pin)
    }
}

/// As it stands in a comparison and in a manifest.
impl fmt::Display for LineSetup {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} to {}", self.from, self.to)
    }
}

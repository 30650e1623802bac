//! `trigger` of `[boards.<entry>]`: a pin of the board whose edges are messages, and the pin of the peer whose edges end them, as on a
//! logic analyser. Edges come like those of links that are dithered: so long apart, and up to so much longer at random.

use std::fmt;

use links::Schedule;
use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use super::super::trigger::phrase;
use super::fields::TRIGGER_FIELDS;
use fields::toml_file::{Misplaced, TomlFile, Value, fields_of, plain, shown, told};

const PERIOD: Picoseconds = Picoseconds::new(20 * PS_PER_MS);
/// Later than boards take to find their links and each other, with a second call where the first one came too early.
const FROM: Picoseconds = Picoseconds::new(5 * PS_PER_S);

/// Edges as messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinTrigger {
    /// The pin of the board, as the suite names it.
    pub pin: String,
    /// The pin of the peer.
    pub done: String,
    /// The shortest time between two edges.
    pub period: Picoseconds,
    /// What is added to it at most; half of it where it is not given.
    pub by: Option<Picoseconds>,
    /// The first edge.
    pub from: Picoseconds,
}

impl PinTrigger {
    /// From a table of the suite; what that does not give is as it was `before`, in the entry of `same_but`.
    pub(super) fn read(
        file: TomlFile<'_>,
        field: &str,
        value: &Value<'_>,
        before: Option<Self>,
    ) -> Result<Self, Misplaced> {
        let fields = fields_of(file.table_of(field, value)?);
        file.refuse_unknown(&format!("{field}."), &fields, &::fields::names(TRIGGER_FIELDS))?;
        let new = || Self { pin: String::new(), done: String::new(), period: PERIOD, by: None, from: FROM };
        let mut trigger = before.unwrap_or_else(new);
        for (name, _, value) in &fields {
            let within = format!("{field}.{name}");
            let time =
                || file.declared(&format!("{field}."), TRIGGER_FIELDS, name, value).map(|value| value.time());
            match *name {
                "pin" => trigger.pin = pin_of(file, &within, value)?,
                "done" => trigger.done = pin_of(file, &within, value)?,
                "period" => trigger.period = time()?,
                "by" => trigger.by = Some(time()?),
                _ => trigger.from = time()?,
            }
        }
        for (name, pin, example) in [("pin", &trigger.pin, "GP2"), ("done", &trigger.done, "GP3")] {
            if pin.is_empty() {
                let message = told(field, format!(": {name} is missing, such as {name} = \"{example}\""));
                return Err(file.error(value.span(), message));
            }
        }
        Ok(trigger)
    }

    /// What is added to the period at most.
    pub fn dither(&self) -> Picoseconds {
        self.by.unwrap_or(Picoseconds::new(self.period.ps() / 2))
    }
}

/// As it stands in a comparison and in a manifest.
impl fmt::Display for PinTrigger {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pin, done, period, by: _, from } = self;
        let edges = phrase(&Schedule::Dithered { period: *period, by: self.dither() });
        write!(out, "{pin} to {done}, {edges}, from {from} on")
    }
}

fn pin_of(file: TomlFile<'_>, field: &str, value: &Value<'_>) -> Result<String, Misplaced> {
    plain(value.get_ref()).filter(|text| !text.trim().is_empty()).ok_or_else(|| {
        let shown = shown(value.get_ref());
        file.error(
            value.span(),
            told(field, format!(" is {shown}, but it takes a pin, such as \"GP2\" or 2")),
        )
    })
}

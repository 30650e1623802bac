//! All impairments that users can write, declared once: parsing, printing, error messages and a reference page come from
//! this table.

use std::fmt;
use std::str::FromStr;

use fields::{Field, Takes};
use thiserror::Error;
use units::{Bytes, Picoseconds};

use super::value::exact;
use super::{BitRate, Impairments, JitterShape, Probability};

/// An impairment that users can write.
#[derive(Debug, Clone, Copy)]
pub struct ImpairmentOption {
    /// What it is called, takes and means; its example is a whole part.
    pub field: Field,
    set: fn(&mut Impairments, &str) -> Option<()>,
    print: fn(&Impairments) -> String,
}

const PROBABILITY: &str = "a probability from 0 to 100%, down to 1e-15";
const TIME: &str = "a time from 0 to 1 h in ps, ns, us, ms or s";

const fn field(
    name: &'static str,
    takes: &'static str,
    default: &'static str,
    help: &'static str,
    example: &'static str,
) -> Field {
    Field::new(name, Takes::Text(takes), default, help, example)
}

/// All of them, in the order in which they are printed and in which a frame meets them.
pub const IMPAIRMENT_OPTIONS: &[ImpairmentOption] = &[
    ImpairmentOption {
        field: field(
            "drop",
            "numbers of frames, counted from 1 and joined by +",
            "none",
            "loses the frames of these numbers",
            "drop=3+7",
        ),
        set: |to, text| numbers(text).map(|value| to.drop = value),
        print: |of| joined(&of.drop),
    },
    ImpairmentOption {
        field: field("loss", PROBABILITY, "0%", "loses each frame with this probability", "loss=1%"),
        set: |to, text| Probability::parse(text).map(|value| to.loss = value),
        print: |of| of.loss.to_string(),
    },
    ImpairmentOption {
        field: field(
            "burst_start",
            PROBABILITY,
            "0%",
            "before each frame, begins a burst of losses with this probability (Gilbert and Elliott)",
            "burst_start=0.1%",
        ),
        set: |to, text| Probability::parse(text).map(|value| to.burst_start = value),
        print: |of| of.burst_start.to_string(),
    },
    ImpairmentOption {
        field: field(
            "burst_end",
            PROBABILITY,
            "25%",
            "before each frame, ends a burst with this probability: 25% makes bursts of 4 frames on average",
            "burst_end=10%",
        ),
        set: |to, text| Probability::parse(text).map(|value| to.burst_end = value),
        print: |of| of.burst_end.to_string(),
    },
    ImpairmentOption {
        field: field(
            "burst_loss",
            PROBABILITY,
            "100%",
            "loses each frame of a burst with this probability",
            "burst_loss=80%",
        ),
        set: |to, text| Probability::parse(text).map(|value| to.burst_loss = value),
        print: |of| of.burst_loss.to_string(),
    },
    ImpairmentOption {
        field: field(
            "duplicate",
            PROBABILITY,
            "0%",
            "sends a copy behind each frame with this probability",
            "duplicate=0.5%",
        ),
        set: |to, text| Probability::parse(text).map(|value| to.duplicate = value),
        print: |of| of.duplicate.to_string(),
    },
    ImpairmentOption {
        field: field(
            "corrupt",
            PROBABILITY,
            "0%",
            "flips one bit of each frame with this probability and leaves the check sequence right, so that only \
               checksums of higher layers notice",
            "corrupt=0.1%",
        ),
        set: |to, text| Probability::parse(text).map(|value| to.corrupt = value),
        print: |of| of.corrupt.to_string(),
    },
    ImpairmentOption {
        field: field(
            "bit_errors",
            PROBABILITY,
            "0%",
            "flips each bit with this probability; the check sequence is wrong then, and the receiver drops the frame",
            "bit_errors=1e-7",
        ),
        set: |to, text| Probability::parse(text).map(|value| to.bit_errors = value),
        print: |of| of.bit_errors.to_string(),
    },
    ImpairmentOption {
        field: field(
            "limit",
            "a number of frames from 1 to 65536",
            "10000",
            "drops what comes while so many frames are delayed or wait for the rate",
            "limit=100",
        ),
        set: |to, text| ranged(text, 1, 65_536).map(|value| to.limit_frames = value),
        print: |of| of.limit_frames.to_string(),
    },
    ImpairmentOption {
        field: field(
            "rate",
            "bits a second in bit, kbit, Mbit or Gbit, from 1kbit to 100Gbit, or none",
            "none",
            "lets frames through no faster than this, counted without preamble, check sequence and gap",
            "rate=1Mbit",
        ),
        set: rate,
        print: |of| of.rate.map_or_else(|| "none".to_owned(), |rate| rate.to_string()),
    },
    ImpairmentOption {
        field: field(
            "bucket",
            "bytes from 0 to 16 MiB",
            "0",
            "lets so many bytes through at once before the rate holds (token bucket); needs rate",
            "bucket=15kB",
        ),
        set: |to, text| bytes(text).map(|value| to.bucket_bytes = value),
        print: |of| of.bucket_bytes.to_string(),
    },
    ImpairmentOption {
        field: field("delay", TIME, "0s", "delays each frame", "delay=10ms"),
        set: |to, text| time(text).map(|value| to.delay = value),
        print: |of| exact(of.delay),
    },
    ImpairmentOption {
        field: field(
            "jitter",
            TIME,
            "0s",
            "varies the delay by as much; frames keep their order",
            "jitter=2ms",
        ),
        set: |to, text| time(text).map(|value| to.jitter = value),
        print: |of| exact(of.jitter),
    },
    ImpairmentOption {
        field: field(
            "jitter_shape",
            "uniform or normal",
            "uniform",
            "distributes the jitter evenly in delay - jitter to delay + jitter, or normally with jitter as its deviation",
            "jitter_shape=normal",
        ),
        set: shape,
        print: |of| shape_name(of.jitter_shape).to_owned(),
    },
    ImpairmentOption {
        field: field(
            "reorder",
            PROBABILITY,
            "0%",
            "holds each frame back with this probability, so that later ones overtake it",
            "reorder=1%",
        ),
        set: |to, text| Probability::parse(text).map(|value| to.reorder = value),
        print: |of| of.reorder.to_string(),
    },
    ImpairmentOption {
        field: field("reorder_by", TIME, "10ms", "holds such a frame back for so long", "reorder_by=5ms"),
        set: |to, text| time(text).map(|value| to.reorder_by = value),
        print: |of| exact(of.reorder_by),
    },
];

/// An impairment text that could not be read; the message says which part and what is possible.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ImpairmentError {
    /// No impairment has this name.
    #[error("`{part}`: there is no impairment `{name}`; {hint}")]
    UnknownName {
        /// The part as given.
        part: String,
        /// Its name.
        name: String,
        /// What is near, or what there is.
        hint: String,
    },
    /// A part without a value.
    #[error("`{part}` has no value; write name=value, for example {example}")]
    NoValue {
        /// The part as given.
        part: String,
        /// A part that is accepted.
        example: &'static str,
    },
    /// A value that the impairment does not take.
    #[error("`{part}`: {name} takes {takes}; for example {example}")]
    Value {
        /// The part as given.
        part: String,
        /// Its name.
        name: &'static str,
        /// What it takes.
        takes: String,
        /// A part that is accepted.
        example: &'static str,
    },
    /// An impairment that is there twice.
    #[error("`{part}`: {name} was given before; write it once")]
    Twice {
        /// The second part as given.
        part: String,
        /// Its name.
        name: &'static str,
    },
    /// More jitter than delay.
    #[error(
        "`jitter={jitter}` is more than `delay={delay}`, and no frame arrives before it is sent; use delay={jitter} or more"
    )]
    JitterBeyondDelay {
        /// The jitter.
        jitter: String,
        /// The delay.
        delay: String,
    },
    /// An impairment that does nothing without another.
    #[error("`{name}` does nothing without {needs}; add {example}")]
    Needs {
        /// What was given.
        name: &'static str,
        /// What is missing.
        needs: &'static str,
        /// A part to add.
        example: &'static str,
    },
}

impl Impairments {
    /// Checks what no single value shows.
    ///
    /// # Errors
    /// When values contradict each other, or one does nothing.
    pub fn check(&self) -> Result<(), ImpairmentError> {
        if self.jitter > self.delay {
            let (jitter, delay) = (exact(self.jitter), exact(self.delay));
            return Err(ImpairmentError::JitterBeyondDelay { jitter, delay });
        }
        let usual = Self::default();
        let no_burst = self.burst_start == Probability::NEVER;
        let needs = [
            ("bucket", "rate", self.bucket_bytes > 0 && self.rate.is_none()),
            ("burst_end", "burst_start", self.burst_end != usual.burst_end && no_burst),
            ("burst_loss", "burst_start", self.burst_loss != usual.burst_loss && no_burst),
            (
                "jitter_shape",
                "jitter",
                self.jitter_shape != usual.jitter_shape && self.jitter == usual.jitter,
            ),
            ("reorder_by", "reorder", self.reorder_by != usual.reorder_by && self.reorder == usual.reorder),
        ];
        match needs.into_iter().find(|(.., missing)| *missing) {
            Some((name, needs, _)) => {
                Err(ImpairmentError::Needs { name, needs, example: declared(needs).field.example })
            }
            None => Ok(()),
        }
    }
}

fn declared(name: &str) -> &'static ImpairmentOption {
    let found = IMPAIRMENT_OPTIONS.iter().find(|option| option.field.name == name);
    found.expect("a rule names a declared impairment")
}

/// Parts joined by commas; nothing, or `none`, is no impairment at all.
impl FromStr for Impairments {
    type Err = ImpairmentError;

    fn from_str(text: &str) -> Result<Self, ImpairmentError> {
        let mut impairments = Self::default();
        if matches!(text.trim(), "" | "none") {
            return Ok(impairments);
        }
        let mut given = Vec::new();
        for part in text.split(',').map(str::trim) {
            let option = apply(&mut impairments, part)?;
            if given.contains(&option.field.name) {
                return Err(ImpairmentError::Twice { part: shown(part), name: option.field.name });
            }
            given.push(option.field.name);
        }
        impairments.check()?;
        Ok(impairments)
    }
}

/// A part as an error of one line shows it.
fn shown(part: &str) -> String {
    part.chars()
        .map(|letter| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter })
        .collect()
}

fn apply(impairments: &mut Impairments, part: &str) -> Result<&'static ImpairmentOption, ImpairmentError> {
    let (name, value) = part.split_once('=').map_or((part, None), |(name, value)| (name.trim(), Some(value)));
    let Some(option) = IMPAIRMENT_OPTIONS.iter().find(|option| option.field.name == name) else {
        let known: Vec<_> = IMPAIRMENT_OPTIONS.iter().map(|option| option.field.name).collect();
        let hint = fields::hint(name, &known);
        return Err(ImpairmentError::UnknownName { part: shown(part), name: shown(name), hint });
    };
    let Field { name, takes, example, .. } = option.field;
    match value.map(str::trim) {
        None | Some("") => Err(ImpairmentError::NoValue { part: shown(part), example }),
        Some(value) => match (option.set)(impairments, value) {
            Some(()) => Ok(option),
            None => {
                let takes = takes.to_string();
                Err(ImpairmentError::Value { part: shown(part), name, takes, example })
            }
        },
    }
}

/// What differs from the default, as it would be written; `none` where nothing does.
impl fmt::Display for Impairments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Self::default();
        let differs = |option: &&ImpairmentOption| (option.print)(self) != (option.print)(&usual);
        let written = IMPAIRMENT_OPTIONS.iter().filter(differs);
        let parts: Vec<_> =
            written.map(|option| format!("{}={}", option.field.name, (option.print)(self))).collect();
        f.write_str(if parts.is_empty() { "none" } else { "" })?;
        f.write_str(&parts.join(","))
    }
}

fn time(text: &str) -> Option<Picoseconds> {
    const LONGEST: Picoseconds = Picoseconds::new(3600 * units::PS_PER_S);
    text.parse().ok().filter(|time| (Picoseconds::ZERO..=LONGEST).contains(time))
}

fn bytes(text: &str) -> Option<u64> {
    const MOST: u64 = 16 << 20;
    text.parse::<Bytes>().ok().map(Bytes::get).filter(|&bytes| bytes <= MOST)
}

fn ranged(text: &str, least: u64, most: u64) -> Option<u64> {
    text.parse().ok().filter(|number| (least..=most).contains(number))
}

fn rate(to: &mut Impairments, text: &str) -> Option<()> {
    to.rate = if text == "none" { None } else { Some(BitRate::parse(text)?) };
    Some(())
}

fn shape(to: &mut Impairments, text: &str) -> Option<()> {
    let shapes = [JitterShape::Uniform, JitterShape::Normal];
    to.jitter_shape = shapes.into_iter().find(|&shape| shape_name(shape) == text)?;
    Some(())
}

fn shape_name(shape: JitterShape) -> &'static str {
    match shape {
        JitterShape::Uniform => "uniform",
        JitterShape::Normal => "normal",
    }
}

fn numbers(text: &str) -> Option<Vec<u64>> {
    if text == "none" {
        return Some(Vec::new());
    }
    let mut numbers =
        text.split('+').map(|number| ranged(number.trim(), 1, u64::MAX)).collect::<Option<Vec<_>>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

fn joined(numbers: &[u64]) -> String {
    match numbers {
        [] => "none".to_owned(),
        _ => numbers.iter().map(u64::to_string).collect::<Vec<_>>().join("+"),
    }
}

//! The declarations at the top of a value change dump: the time scale, and the variables with the identifier
//! codes that stand for them below.

use std::collections::HashMap;

use crate::change::Channel;
use crate::error::CaptureError;
use crate::read::vcd::tokens::Tokens;

/// Bounds on what a damaged or generated file can make us hold.
const BITS_MAX: usize = 1 << 16;
const SCOPES_MAX: usize = 64;
const LABEL_BYTES_MAX: usize = 1 << 10;
const ALL_LABELS_BYTES_MAX: usize = 16 << 20;

/// What cannot be within another declaration; a lone `$` can, as an identifier code.
const KEYWORDS: &[&[u8]] = &[b"$var", b"$scope", b"$upscope", b"$timescale", b"$comment", b"$enddefinitions"];

/// Variables that are no levels of wires.
const NOT_LEVELS: &[&str] = &["real", "realtime", "shortreal", "string", "event", "parameter"];

/// What an extended dump declares, whose values have strengths.
const PORT: &str = "port";

/// One bit of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VariableBit {
    /// The identifier code.
    pub(super) code: Vec<u8>,
    /// The position in the variable, 0 for the last character of a value.
    pub(super) position: usize,
}

#[derive(Debug)]
pub(super) struct Header {
    /// One tick in femtoseconds.
    pub(super) tick_fs: u128,
    /// Each bit of each variable, and what it is in the file.
    pub(super) channels: Vec<Channel>,
    pub(super) bits: Vec<VariableBit>,
    /// Codes of variables that are declared but have no levels.
    pub(super) others: Vec<Vec<u8>>,
}

/// A declared bit: its plain name, and the scopes that it stands in.
struct Declared {
    name: String,
    scope: String,
    bit: VariableBit,
}

#[derive(Default)]
struct Builder {
    tick_fs: Option<u128>,
    scopes: Vec<String>,
    declared: Vec<Declared>,
    label_bytes: usize,
    others: Vec<Vec<u8>>,
}

/// Reads up to the end of the definitions.
pub(super) fn read(tokens: &mut Tokens) -> Result<Header, CaptureError> {
    let mut builder = Builder::default();
    loop {
        let Some(word) = tokens.next()? else {
            return Err(tokens.refused("the file ends within its declarations; export or copy it again"));
        };
        let keyword = tokens.bytes(word).to_vec();
        match keyword.as_slice() {
            b"$enddefinitions" => {
                tokens.skip_to_end()?;
                return builder.finish(tokens);
            }
            b"$timescale" => {
                let words = words_to_end(tokens)?;
                builder.tick_fs = Some(tick_fs(&words.concat()).map_err(|what| tokens.refused(&what))?);
            }
            b"$scope" => {
                let words = words_to_end(tokens)?;
                builder.scopes.push(words.get(1).cloned().unwrap_or_default());
                if builder.scopes.len() > SCOPES_MAX {
                    return Err(tokens.refused(&format!("scopes are nested more than {SCOPES_MAX} deep")));
                }
            }
            b"$upscope" => {
                tokens.skip_to_end()?;
                builder.scopes.pop();
            }
            b"$var" => {
                let words = words_to_end(tokens)?;
                builder.declare(&words).map_err(|what| tokens.refused(&what))?;
            }
            [b'$', ..] => tokens.skip_to_end()?,
            _ => {
                let what = format!(
                    "`{}` stands where a declaration such as $var is due",
                    String::from_utf8_lossy(&keyword[..keyword.len().min(32)])
                );
                return Err(tokens.refused(&what));
            }
        }
    }
}

/// The words up to `$end`.
fn words_to_end(tokens: &mut Tokens) -> Result<Vec<String>, CaptureError> {
    const WORDS_MAX: usize = 64;
    let mut words = Vec::new();
    while let Some(word) = tokens.next()? {
        let word = tokens.bytes(word);
        if word == b"$end" {
            return Ok(words);
        }
        if KEYWORDS.contains(&word) {
            let what = format!(
                "`{}` stands within a declaration; its $end is missing",
                String::from_utf8_lossy(word)
            );
            return Err(tokens.refused(&what));
        }
        if word.len() > LABEL_BYTES_MAX || words.len() == WORDS_MAX {
            return Err(tokens.refused("a declaration is too long; is its $end missing?"));
        }
        words.push(String::from_utf8_lossy(word).into_owned());
    }
    Err(tokens.refused("the file ends within a declaration; export or copy it again"))
}

/// `1ns`, `10 us` and the like in femtoseconds.
fn tick_fs(text: &str) -> Result<u128, String> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (count, unit) = text.split_at(unit_at);
    let unit_fs: u128 = match unit {
        "fs" => 1,
        "ps" => 1_000,
        "ns" => 1_000_000,
        "us" => 1_000_000_000,
        "ms" => 1_000_000_000_000,
        "s" => 1_000_000_000_000_000,
        _ => 0,
    };
    match (count, unit_fs) {
        ("1" | "10" | "100", 1..) => Ok(count.parse::<u128>().expect("one of three numbers") * unit_fs),
        _ => Err(format!("`{text}` is no timescale; it is 1, 10 or 100 of s, ms, us, ns, ps or fs")),
    }
}

impl Builder {
    /// Takes `TYPE WIDTH CODE NAME [RANGE]`.
    fn declare(&mut self, words: &[String]) -> Result<(), String> {
        let [kind, width, code, name, range @ ..] = words else {
            return Err("a $var needs a type, a width, an identifier code and a name".to_owned());
        };
        if kind == PORT {
            return Err("this is an extended dump of ports, as $dumpports writes it, which is not read; write one of wires by \
                        $dumpvars"
                .to_owned());
        }
        if NOT_LEVELS.contains(&kind.as_str()) {
            self.others.push(code.as_bytes().to_vec());
            return Ok(());
        }
        let width: usize = width.parse().map_err(|_| format!("`{width}` is no width of a $var"))?;
        if width == 0 || width > BITS_MAX - self.declared.len() {
            return Err(format!("a dump has between 1 and {BITS_MAX} bits in all its variables"));
        }
        let (name, range) = split_range(name, &range.concat());
        let scope = self.scopes.join(".");
        for position in 0..width {
            let name = match bit_number(&range, width, position) {
                Some(number) => format!("{name}[{number}]"),
                None => name.clone(),
            };
            self.label_bytes += name.len() + scope.len();
            if self.label_bytes > ALL_LABELS_BYTES_MAX {
                return Err("the names of all variables are too long to hold".to_owned());
            }
            let bit = VariableBit { code: code.as_bytes().to_vec(), position };
            self.declared.push(Declared { name, scope: scope.clone(), bit });
        }
        Ok(())
    }

    fn finish(self, tokens: &Tokens) -> Result<Header, CaptureError> {
        let tick_fs = self.tick_fs.ok_or_else(|| {
            tokens.refused("the dump has no $timescale, so that its times have no unit; export it with one")
        })?;
        if self.declared.is_empty() {
            return Err(tokens.refused("the dump declares no wires; export the logic channels"));
        }
        let mut uses: HashMap<&str, usize> = HashMap::new();
        for declared in &self.declared {
            *uses.entry(&declared.name).or_default() += 1;
        }
        let label = |declared: &Declared| match (uses[declared.name.as_str()], declared.scope.as_str()) {
            (1, _) | (_, "") => declared.name.clone(),
            (_, scope) => format!("{scope}.{}", declared.name),
        };
        let channels = (0..)
            .zip(&self.declared)
            .map(|(index, declared)| Channel { index, label: label(declared) })
            .collect();
        let bits = self.declared.into_iter().map(|declared| declared.bit).collect();
        Ok(Header { tick_fs, channels, bits, others: self.others })
    }
}

/// A name and its range, which stands in a word of its own or hangs on the name: `data[7:0]`.
fn split_range(name: &str, range: &str) -> (String, String) {
    match name.find('[') {
        Some(at) if range.is_empty() && at > 0 => (name[..at].to_owned(), name[at..].to_owned()),
        _ => (name.to_owned(), range.to_owned()),
    }
}

/// The number of the bit at `position` by the declared range; nothing for a plain wire.
fn bit_number(range: &str, width: usize, position: usize) -> Option<i64> {
    let numbers = range.strip_prefix('[').and_then(|range| range.strip_suffix(']'));
    let bounds = numbers.and_then(|numbers| match numbers.split_once(':') {
        Some((left, right)) => Some((left.trim().parse::<i32>().ok()?, right.trim().parse::<i32>().ok()?)),
        None => numbers.trim().parse().ok().map(|only| (only, only)),
    });
    let position = i64::try_from(position).expect("a position is below the limit of bits");
    match bounds.map(|(left, right)| (i64::from(left), i64::from(right))) {
        Some((left, right)) if left.abs_diff(right) + 1 == width as u64 => {
            Some(if left >= right { right + position } else { right - position })
        }
        _ => (width > 1).then_some(position),
    }
}

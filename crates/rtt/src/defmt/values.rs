//! The values of a frame, read by the types of its text. A frame may be anything that an image writes: how many values it has,
//! and how deep they lie in each other, is bounded.

use defmt_parser::Type;

use super::format::Format;
use super::table::Table;

/// Of one frame.
const MOST_VALUES: u32 = 1 << 16;
const MOST_DEPTH: u32 = 32;
/// What ends a text that was made on the chip.
const END_OF_TEXT: u8 = 0xff;

/// Why a frame has no values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// It ends too early.
    CutOff,
    /// It is none of this image's.
    Malformed,
}

/// A value.
#[derive(Debug, PartialEq)]
pub(super) enum Value<'t> {
    Bool(bool),
    F32(f32),
    F64(f64),
    Unsigned(u128),
    Signed(i128),
    Char(char),
    Text(String),
    /// A text that the ELF has.
    Interned(&'t str),
    Bytes(Vec<u8>),
    /// A value with a text of its own.
    Formatted(Formatted<'t>),
    /// Several between brackets.
    List(Vec<Formatted<'t>>),
    /// Several one behind the other.
    Sequence(Vec<Formatted<'t>>),
}

/// A text with its values.
#[derive(Debug, PartialEq)]
pub(super) struct Formatted<'t> {
    pub(super) format: &'t Format,
    pub(super) values: Vec<Value<'t>>,
}

/// The bytes of a frame that are not read yet.
#[derive(Debug)]
pub(super) struct Reader<'t, 'b> {
    table: &'t Table,
    pub(super) bytes: &'b [u8],
    values_left: u32,
    depth: u32,
}

impl<'t, 'b> Reader<'t, 'b> {
    pub(super) fn new(table: &'t Table, bytes: &'b [u8]) -> Self {
        Self { table, bytes, values_left: MOST_VALUES, depth: 0 }
    }

    fn take(&mut self, count: usize) -> Result<&'b [u8], Unread> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(Unread::CutOff)?;
        self.bytes = rest;
        Ok(taken)
    }

    /// A number of so many bytes, the lowest first.
    fn unsigned(&mut self, bytes: usize) -> Result<u128, Unread> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte)))
    }

    fn signed(&mut self, bytes: usize) -> Result<i128, Unread> {
        let unused = 128 - 8 * bytes as u32;
        Ok((self.unsigned(bytes)? << unused) as i128 >> unused)
    }

    pub(super) fn number(&mut self) -> Result<u16, Unread> {
        Ok(self.unsigned(2)? as u16)
    }

    fn length(&mut self) -> Result<usize, Unread> {
        Ok(self.unsigned(4)? as usize)
    }

    /// The values of a text.
    pub(super) fn formatted(&mut self, format: &'t Format) -> Result<Formatted<'t>, Unread> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(Unread::Malformed);
        }
        let values = format.types.iter().map(|kind| self.value(kind)).collect::<Result<_, _>>()?;
        self.depth -= 1;
        Ok(Formatted { format, values })
    }

    fn value(&mut self, kind: &Type) -> Result<Value<'t>, Unread> {
        self.values_left = self.values_left.checked_sub(1).ok_or(Unread::Malformed)?;
        Ok(match kind {
            Type::I8 => Value::Signed(self.signed(1)?),
            Type::I16 => Value::Signed(self.signed(2)?),
            Type::I32 | Type::Isize => Value::Signed(self.signed(4)?),
            Type::I64 => Value::Signed(self.signed(8)?),
            Type::I128 => Value::Signed(self.signed(16)?),
            Type::U8 => Value::Unsigned(self.unsigned(1)?),
            Type::U16 => Value::Unsigned(self.unsigned(2)?),
            Type::U32 | Type::Usize => Value::Unsigned(self.unsigned(4)?),
            Type::U64 => Value::Unsigned(self.unsigned(8)?),
            Type::U128 => Value::Unsigned(self.unsigned(16)?),
            Type::F32 => Value::F32(f32::from_bits(self.unsigned(4)? as u32)),
            Type::F64 => Value::F64(f64::from_bits(self.unsigned(8)? as u64)),
            Type::Bool => match self.unsigned(1)? {
                0 => Value::Bool(false),
                1 => Value::Bool(true),
                _ => return Err(Unread::Malformed),
            },
            Type::Char => Value::Char(char::from_u32(self.unsigned(4)? as u32).ok_or(Unread::Malformed)?),
            Type::BitField(bits) => self.bit_field(bits.start, bits.end)?,
            Type::Str => {
                let length = self.length()?;
                Value::Text(text(self.take(length)?)?)
            }
            Type::IStr => {
                let number = self.number()?;
                Value::Interned(&self.table.inner(number).ok_or(Unread::Malformed)?.text)
            }
            Type::Debug | Type::Display => {
                let length = self.bytes.iter().position(|byte| *byte == END_OF_TEXT).ok_or(Unread::CutOff)?;
                let made = text(self.take(length)?)?;
                self.take(1)?;
                Value::Text(made)
            }
            Type::U8Slice => {
                let length = self.length()?;
                Value::Bytes(self.take(length)?.to_vec())
            }
            Type::U8Array(length) => Value::Bytes(self.take(*length)?.to_vec()),
            Type::Format => {
                let number = self.number()?;
                Value::Formatted(self.inner(number)?)
            }
            Type::FormatSlice => {
                let length = self.length()?;
                Value::List(self.list(length)?)
            }
            Type::FormatArray(length) => Value::List(self.list(*length)?),
            Type::FormatSequence => Value::Sequence(self.sequence()?),
        })
    }

    /// Sent are the bytes with a bit of the field, as a number of one, two, four, eight or sixteen.
    fn bit_field(&mut self, from: u8, to: u8) -> Result<Value<'t>, Unread> {
        let (first, last) = (from / 8, to.saturating_sub(1) / 8);
        let bytes = usize::from(last.saturating_sub(first) + 1).next_power_of_two();
        Ok(Value::Unsigned(self.unsigned(bytes)? << (8 * first)))
    }

    /// A value of any kind: the number of its text, and what belongs to that.
    fn inner(&mut self, number: u16) -> Result<Formatted<'t>, Unread> {
        let entry = self.table.inner(number).ok_or(Unread::Malformed)?;
        let format = self.variant(entry.formats())?;
        self.formatted(format)
    }

    /// One of an enum's texts, by its place among them: a number that is as long as their count needs.
    fn variant(&mut self, formats: &'t [Option<Format>]) -> Result<&'t Format, Unread> {
        let place = match formats.len() - 1 {
            0 => 0,
            1..=0xff => self.unsigned(1)?,
            0x100..=0xffff => self.unsigned(2)?,
            _ => self.unsigned(4)?,
        };
        let format = usize::try_from(place).ok().and_then(|place| formats.get(place)?.as_ref());
        format.ok_or(Unread::Malformed)
    }

    /// Values of one kind, whose text is named once; of an enum each has its variant.
    fn list(&mut self, length: usize) -> Result<Vec<Formatted<'t>>, Unread> {
        let number = self.number()?;
        let formats = self.table.inner(number).ok_or(Unread::Malformed)?.formats();
        let mut list = Vec::new();
        for _ in 0..length {
            // Also where a value has no bytes.
            self.values_left = self.values_left.checked_sub(1).ok_or(Unread::Malformed)?;
            let format = self.variant(formats)?;
            list.push(self.formatted(format)?);
        }
        Ok(list)
    }

    /// Values up to a number that is zero.
    fn sequence(&mut self) -> Result<Vec<Formatted<'t>>, Unread> {
        let mut sequence = Vec::new();
        loop {
            match self.number()? {
                0 => return Ok(sequence),
                number => {
                    self.values_left = self.values_left.checked_sub(1).ok_or(Unread::Malformed)?;
                    sequence.push(self.inner(number)?);
                }
            }
        }
    }
}

fn text(bytes: &[u8]) -> Result<String, Unread> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Unread::Malformed)
}

//! The texts of frames with places for values, as `defmt-parser` reads them. They come from an ELF, which may be anything: what
//! would make that crate reserve memory without end is refused before, and what would be shown without end afterwards.

use std::borrow::Cow;

use defmt_parser::{DisplayHint, Fragment, Parameter, ParserMode, Type, get_max_bitfield_range, parse};

/// A text has fewer places than this has digits for.
const MOST_INDEX_DIGITS: usize = 3;
/// Of a number with leading zeros.
const MOST_DIGITS: usize = 256;

/// A text, and the values that belong into it.
#[derive(Debug, PartialEq)]
pub(super) struct Format {
    pub(super) fragments: Vec<Fragment<'static>>,
    /// The types of the values in the order in which they are sent, that of their indices.
    pub(super) types: Vec<Type>,
}

impl Format {
    /// Nothing where it is none that this grammar knows.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if !has_small_indices(text) {
            return None;
        }
        let fragments = parse(text, ParserMode::ForwardsCompatible).ok()?;
        let fragments: Vec<Fragment<'static>> = fragments.into_iter().map(owned).collect();
        let is_shown = |fragment: &Fragment<'_>| match fragment {
            Fragment::Parameter(Parameter { hint: Some(hint), .. }) => digits(hint) <= MOST_DIGITS,
            _ => true,
        };
        let types = types(&fragments);
        fragments.iter().all(is_shown).then_some(Self { fragments, types })
    }
}

fn owned(fragment: Fragment<'_>) -> Fragment<'static> {
    match fragment {
        Fragment::Literal(text) => Fragment::Literal(Cow::Owned(text.into_owned())),
        Fragment::Parameter(parameter) => Fragment::Parameter(parameter),
    }
}

/// Indices are what a place begins with.
fn has_small_indices(text: &str) -> bool {
    text.split('{')
        .skip(1)
        .all(|place| place.bytes().take_while(u8::is_ascii_digit).count() <= MOST_INDEX_DIGITS)
}

fn digits(hint: &DisplayHint) -> usize {
    match hint {
        DisplayHint::NoHint { zero_pad }
        | DisplayHint::Hexadecimal { zero_pad, .. }
        | DisplayHint::Octal { zero_pad, .. }
        | DisplayHint::Binary { zero_pad, .. } => *zero_pad,
        _ => 0,
    }
}

/// By index. Bit fields of one index are sent as one value, from the lowest bit of any to the highest.
fn types(fragments: &[Fragment<'_>]) -> Vec<Type> {
    let parameters = || {
        fragments.iter().filter_map(|fragment| match fragment {
            Fragment::Parameter(parameter) => Some(parameter),
            Fragment::Literal(_) => None,
        })
    };
    let count = parameters().map(|parameter| parameter.index + 1).max().unwrap_or(0);
    let of_index = |index: usize| {
        let same = parameters().filter(move |parameter| parameter.index == index);
        let first = same.clone().next()?;
        match first.ty {
            Type::BitField(_) => get_max_bitfield_range(same).map(|(from, to)| Type::BitField(from..to)),
            _ => Some(first.ty.clone()),
        }
    };
    // Every index is used: the parser has seen to that.
    (0..count).filter_map(of_index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_in_the_order_of_their_indices_and_bit_fields_of_one_index_as_one() {
        let format = Format::parse("{1=0..3} {0=u8:#04x} {1=4..9}").unwrap();
        assert_eq!(format.types, [Type::U8, Type::BitField(0..9)]);
        assert_eq!(format.fragments.len(), 5);
    }

    #[test]
    fn texts_that_would_take_memory_without_end_are_refused() {
        assert!(Format::parse("{0=u8}").is_some());
        for text in ["{18446744073709551615=u8}", "{9999=u8}", "{=u8:0999999}", "{1=u8}", "{=what}", "{"] {
            assert_eq!(Format::parse(text), None, "{text}");
        }
    }
}

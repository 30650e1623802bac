//! A bound on a figure, as people write it: a relation and a limit with its unit, such as `<= 5 ms`.

use std::fmt;

use serde::Serialize;

/// How a figure is to stand to its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It may reach the limit.
    AtMost,
    /// Likewise from above.
    AtLeast,
    /// It stays below the limit.
    Below,
    /// It stays above the limit.
    Above,
}

impl Relation {
    /// As they are written; what begins like another one stands before it.
    pub const ALL: [(&'static str, Self); 4] =
        [("<=", Self::AtMost), (">=", Self::AtLeast), ("<", Self::Below), (">", Self::Above)];

    /// As it is written.
    pub fn sign(self) -> &'static str {
        Self::ALL.iter().find(|(_, relation)| *relation == self).expect("every relation has a sign").0
    }
}

/// A unit of limits: one of it is `factor` times a power of ten of the unit in which the figure is kept. The power stands
/// apart, because decimal fractions times a power of ten lose nothing when they are read as one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitUnit {
    /// As it is written; empty where a number alone is taken.
    pub name: &'static str,
    /// The power of ten.
    pub exponent: i32,
    /// A power of two, so that nothing is rounded.
    pub factor: f64,
}

impl LimitUnit {
    /// A unit that is a power of ten of the one in which the figure is kept.
    pub const fn decimal(name: &'static str, exponent: i32) -> Self {
        Self { name, exponent, factor: 1.0 }
    }
}

/// A bound on a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// How the figure is to stand to the limit.
    pub relation: Relation,
    /// In the unit in which the figure is kept.
    pub limit: f64,
}

impl Bound {
    /// Whether a figure keeps it.
    pub fn holds(self, measured: f64) -> bool {
        match self.relation {
            Relation::AtMost => measured <= self.limit,
            Relation::AtLeast => measured >= self.limit,
            Relation::Below => measured < self.limit,
            Relation::Above => measured > self.limit,
        }
    }

    /// The bound that a text is, where it is one.
    pub(crate) fn read(units: &[LimitUnit], text: &str) -> Option<Self> {
        let (relation, limit) = Relation::ALL
            .iter()
            .find_map(|(sign, relation)| Some((*relation, text.strip_prefix(sign)?.trim_start())))?;
        let end = limit.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(limit.len());
        let (number, name) = limit.split_at(end);
        let unit = units.iter().find(|unit| unit.name == name.trim())?;
        let decimal: f64 = format!("{number}e{}", unit.exponent).parse().ok()?;
        Some(Self { relation, limit: decimal * unit.factor }).filter(|bound| bound.limit.is_finite())
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.relation.sign(), self.limit)
    }
}

impl Serialize for Bound {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: &[LimitUnit] = &[LimitUnit::decimal("us", 6), LimitUnit::decimal("ms", 9)];
    const SHARES: &[LimitUnit] = &[LimitUnit::decimal("%", -2)];
    const SIZES: &[LimitUnit] =
        &[LimitUnit::decimal("", 0), LimitUnit { name: "KiB", exponent: 0, factor: 1024.0 }];

    fn limit(units: &[LimitUnit], text: &str) -> Option<f64> {
        Bound::read(units, text).map(|bound| bound.limit)
    }

    #[test]
    fn a_limit_is_the_nearest_number_to_what_was_written() {
        assert_eq!(limit(TIMES, "<= 5.1 ms"), Some(5_100_000_000.0));
        assert_eq!(limit(TIMES, "<=12us"), Some(12_000_000.0));
        // A product with 0.01 would not be 7 of 1000.
        assert_eq!(limit(SHARES, "<= 0.7 %"), Some(7.0 / 1000.0));
        assert_eq!([limit(SIZES, "< 64 KiB"), limit(SIZES, "<65536")], [Some(65536.0); 2]);
    }

    #[test]
    fn what_lacks_relation_number_or_unit_is_no_bound() {
        for text in
            ["5 ms", "<= ms", "<= 5", "<= 5 s", "= 5 ms", "<= -5 ms", "<= 1.2.3 ms", "<= 1e3 ms", "", "<="]
        {
            assert_eq!(Bound::read(TIMES, text), None, "{text}");
        }
        assert_eq!(limit(SIZES, &format!("<= {}", "9".repeat(400))), None);
    }

    #[test]
    fn only_relations_with_an_equals_sign_take_the_limit_itself() {
        let holds = |text: &str| [4e9, 5e9, 6e9].map(|ps| Bound::read(TIMES, text).unwrap().holds(ps));
        assert_eq!(holds("<= 5 ms"), [true, true, false]);
        assert_eq!(holds("< 5 ms"), [true, false, false]);
        assert_eq!(holds(">= 5 ms"), [false, true, true]);
        assert_eq!(holds("> 5 ms"), [false, false, true]);
        assert!(!Bound::read(TIMES, "<= 5 ms").unwrap().holds(f64::NAN));
    }
}

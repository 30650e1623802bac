//! One reader per file format, each a [`crate::ChangeSource`] that works in bounded memory.

pub(crate) mod clock;
pub(crate) mod compressed;
pub(crate) mod fold;
pub(crate) mod foreign;
pub(crate) mod input;
pub(crate) mod lines;
pub(crate) mod logic2_csv;
mod parts;
pub(crate) mod pulseview_csv;
mod quotes;
pub(crate) mod sal;
pub(crate) mod select;
pub(crate) mod sigrok;
mod table;
pub(crate) mod vcd;

//! One reader per file format, each a [`crate::ChangeSource`] that works in bounded memory.

pub(crate) mod input;
pub(crate) mod logic2_csv;
pub(crate) mod pulseview_csv;
pub(crate) mod sal;
pub(crate) mod sigrok;
pub(crate) mod vcd;

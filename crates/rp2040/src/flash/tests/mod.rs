//! Tests of flash chip, SSI and XIP cache.

mod chip;
mod ssi;
mod xip;

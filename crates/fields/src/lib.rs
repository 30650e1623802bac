//! What a user may write, declared once: a [`Setting`] has a name, what it takes, a default and a help line. Its parser, the
//! sentence of a refusal with the nearest name, and its JSON Schema come from the declaration.
//!
//! [`toml_file`] reads files that hold such fields: places become lines. Nothing here knows what a field is for.

mod nearest;
mod schema;
mod settings;
pub mod toml_file;

pub use nearest::{hint, nearest};
pub use settings::{Kind, Setting, SettingError, Settings, Value};
pub use toml_file::Misplaced;

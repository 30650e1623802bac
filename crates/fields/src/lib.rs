//! What a user may write, declared once: a [`Field`] has a name, what it [`Takes`], a default, a help line and an example. Its
//! parser, the sentence of a refusal with the nearest name, its JSON Schema and its line of a reference page come from the
//! declaration.
//!
//! [`Settings`] are the values of a list of fields. [`toml_file`] reads files that hold fields: places become lines. Nothing
//! here knows what a field is for.
//!
//! ```
//! use fields::{Field, Settings, Takes};
//!
//! const FIELDS: &[Field] = &[Field::new("sf", Takes::Integer { lowest: 6, highest: 12, unit: "" }, "7", "spreading factor", "9")];
//! let mut settings = Settings::defaults(FIELDS);
//! settings.set("lora", FIELDS, "sf", "12").unwrap();
//! assert_eq!(settings.integer("sf"), 12);
//! let refusal = settings.set("lora", FIELDS, "sf", "13").unwrap_err().to_string();
//! assert_eq!(refusal, "sf is 13, but it takes a whole number from 6 to 12");
//! ```

mod error;
mod field;
mod nearest;
mod schema;
mod settings;
mod takes;
pub mod text;
pub mod toml_file;
mod value;

pub use error::SettingError;
pub use field::{Field, names};
pub use nearest::{hint, nearest};
pub use settings::Settings;
pub use takes::{Shape, Takes};
pub use toml_file::Misplaced;
pub use value::Value;

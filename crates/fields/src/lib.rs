//! What a user may write, declared once: a [`Field`] has a name, what it [`Takes`], a default, a help line and an example. Its
//! parser, the sentence of a refusal with the nearest name, its JSON Schema, its line of a reference page and what a shell
//! offers come from the declaration. Tables of ours declare theirs once for all; a firmware image declares its settings as
//! long as it is loaded ([`FieldOf`]).
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

mod bound;
mod completion;
mod error;
mod escapes;
mod field;
mod named;
mod nearest;
mod quantity;
mod schema;
mod settings;
mod takes;
pub mod text;
pub mod toml_file;
mod value;
mod words;

pub use bound::{Bound, LimitUnit, Relation};
pub use completion::{Candidate, assignments, values};
pub use error::SettingError;
pub use escapes::{escaped, unescaped};
pub use field::{Field, FieldOf, names};
pub use nearest::{hint, nearest, or_nearest};
pub use quantity::Quantity;
pub use settings::Settings;
pub use takes::{Shape, Takes, TakesOf};
pub use toml_file::{Misplaced, Told, told};
pub use value::Value;

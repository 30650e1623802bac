//! One file a link: its settings, and how its stages are put together.

mod lora;

use crate::registry::Definition;

/// Every link, in the order in which they are listed.
pub(crate) const ALL: &[Definition] = &[lora::DEFINITION];

//! Every client and server by its name, made from options in text.

use thiserror::Error;

use crate::Machine;

/// A kind of client or server.
#[derive(Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Whether it waits for others.
    pub serves: bool,
}

/// All kinds.
pub const KINDS: &[Kind] = &[];

/// A client or a server that cannot be made.
#[derive(Debug, Error)]
#[error("there is no kind of traffic {0}")]
pub struct KindError(String);

/// Makes a client or a server.
///
/// # Errors
/// When there is none of that name, or an option is wrong.
pub fn machine(kind: &str, _: &[(&str, &str)]) -> Result<Box<dyn Machine>, KindError> {
    Err(KindError(kind.to_owned()))
}

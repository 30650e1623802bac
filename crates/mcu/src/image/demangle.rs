//! Readable names of Rust and C++ symbols. A mangled name can stand for one that is exponentially longer, so
//! the result has a bound, and a name that exceeds it stays as it is.

use std::fmt::{self, Write};

use cpp_demangle::DemangleOptions;

use super::short_name::short_name;

/// Longer names say nothing to a reader.
const DEMANGLED_MAX_BYTES: usize = 1_000;

/// The name as its language writes it: Rust without the hash, C++ with parameters; others unchanged.
pub(super) fn demangle(name: &str) -> String {
    rust_path(name).or_else(|| cpp_name(name)).unwrap_or_else(|| name.to_owned())
}

/// The name that is shown: of a Rust function without the path to its type, of others as [`demangle`] gives it.
pub(super) fn shown_name(name: &str) -> String {
    rust_path(name)
        .map(|path| short_name(&path))
        .or_else(|| cpp_name(name))
        .unwrap_or_else(|| name.to_owned())
}

fn rust_path(name: &str) -> Option<String> {
    let rust = rustc_demangle::try_demangle(name).ok()?;
    bounded(|out| write!(out, "{rust:#}"))
}

fn cpp_name(name: &str) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > DEMANGLED_MAX_BYTES {
        return None;
    }
    let symbol = cpp_demangle::Symbol::new(name).ok()?;
    bounded(|out| symbol.structured_demangle(out, &DemangleOptions::new()))
}

fn bounded(write: impl FnOnce(&mut Bounded) -> fmt::Result) -> Option<String> {
    let mut out = Bounded(String::new());
    write(&mut out).ok()?;
    Some(out.0)
}

struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > DEMANGLED_MAX_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

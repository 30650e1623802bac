//! Readable names of Rust and C++ symbols. A mangled name can stand for one that is exponentially longer, so
//! the result has a bound, and a name that exceeds it stays as it is.

use std::fmt::{self, Write};

use cpp_demangle::DemangleOptions;

/// Longer names say nothing to a reader.
const DEMANGLED_MAX_BYTES: usize = 1_000;

/// The name as its language writes it: Rust without the hash, C++ with parameters; others unchanged.
pub(super) fn demangle(name: &str) -> String {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return bounded(|out| write!(out, "{rust:#}")).unwrap_or_else(|| name.to_owned());
    }
    if !name.starts_with("_Z") || name.len() > DEMANGLED_MAX_BYTES {
        return name.to_owned();
    }
    let symbol = cpp_demangle::Symbol::new(name).ok();
    let options = DemangleOptions::new();
    let demangled = symbol.and_then(|symbol| bounded(|out| symbol.structured_demangle(out, &options)));
    demangled.unwrap_or_else(|| name.to_owned())
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

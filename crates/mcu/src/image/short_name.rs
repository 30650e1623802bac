//! Names of Rust functions as people say them: `Interface::poll` for
//! `<smoltcp::iface::interface::Interface>::poll::<embassy_net::driver_util::DriverAdapter<..>>`.

/// Longer ones lose what their types are generic over.
const LONGEST_WITH_GENERICS: usize = 60;
/// Types that deep within each other are left out.
const DEEPEST: usize = 8;

/// A path of a Rust function by its last two parts. Of types in it the last part is kept, of implementations the type, and what
/// functions are generic over is left out.
pub(super) fn short_name(path: &str) -> String {
    let with_generics = Shortener { generics: true }.function(path);
    match with_generics {
        Some(name) if name.len() <= LONGEST_WITH_GENERICS => name,
        _ => Shortener { generics: false }.function(path).unwrap_or_else(|| path.to_owned()),
    }
}

struct Shortener {
    generics: bool,
}

impl Shortener {
    fn function(&self, path: &str) -> Option<String> {
        let parts = told_parts(path)?;
        let last = self.last_part(parts.last()?, 0)?;
        Some(match parts.len().checked_sub(2) {
            Some(owner) => format!("{}::{last}", self.kind(parts[owner], 0)?),
            None => last,
        })
    }

    /// A type by the last part of its path; of `<T as Trait>` it is T.
    fn kind(&self, name: &str, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        let name = match name.strip_prefix('<').and_then(|inside| inside.strip_suffix('>')) {
            Some(inside) => split(inside, " as ")?.into_iter().next()?,
            None => name,
        };
        // Of a reference, a pointer or a trait's object what it is of.
        let name = name.trim_start_matches(['&', '*']);
        if name.starts_with(['[', '(']) {
            return Some(name.to_owned());
        }
        self.last_part(told_parts(name)?.last()?, depth)
    }

    fn last_part(&self, part: &str, depth: usize) -> Option<String> {
        let Some((name, generics)) = part.split_once('<').filter(|(name, _)| !name.is_empty()) else {
            return if part.starts_with('<') { self.kind(part, depth + 1) } else { Some(part.to_owned()) };
        };
        if !self.generics {
            return Some(name.to_owned());
        }
        let generics = split(generics.strip_suffix('>')?, ", ")?;
        let short: Option<Vec<String>> = generics.into_iter().map(|one| self.kind(one, depth + 1)).collect();
        Some(format!("{name}<{}>", short?.join(", ")))
    }
}

/// The parts of a path that say something to a reader: `a` and `b<c::d>` of `a::b<c::d>::<e>::{closure#0}`. A closure that is all there
/// is of an asynchronous function does not, nor does what a function is generic over.
fn told_parts(path: &str) -> Option<Vec<&str>> {
    let parts = split(path, "::")?.into_iter().enumerate();
    let told = parts.filter(|(n, part)| {
        let is_generics = *n > 0 && part.starts_with('<');
        !is_generics && !["", "{closure#0}", "{{closure}}"].contains(part)
    });
    Some(told.map(|(_, part)| part).collect())
}

/// What stands between separators that are in no brackets; nothing where brackets do not match.
fn split<'a>(text: &'a str, separator: &str) -> Option<Vec<&'a str>> {
    let (mut parts, mut depth, mut from, mut skipped) = (Vec::new(), 0usize, 0, 0);
    for (at, c) in text.char_indices() {
        if at < skipped {
            continue;
        }
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            // Of an arrow there is no opening one.
            '>' if text[..at].ends_with('-') => {}
            '>' | ']' | ')' | '}' => depth = depth.checked_sub(1)?,
            _ if depth == 0 && text[at..].starts_with(separator) => {
                parts.push(&text[from..at]);
                (from, skipped) = (at + separator.len(), at + separator.len());
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    (depth == 0).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rust_functions_have_the_names_that_people_say() {
        let names = [
            ("smoltcp::wire::ipv4::Repr::emit", "Repr::emit"),
            ("embassy_executor::raw::waker::wake", "waker::wake"),
            ("DMA_IRQ_0", "DMA_IRQ_0"),
            (
                "<smoltcp::iface::interface::Interface>::poll::<embassy_net::driver_util::DriverAdapter<\
                 embassy_net_driver_channel::Device<1514>>>",
                "Interface::poll",
            ),
            (
                "<embassy_executor::raw::TaskStorage<echo::__net_task::__net_task_inner::{closure#0}>>::poll",
                "TaskStorage<__net_task_inner>::poll",
            ),
            (
                "<embedded_hal_bus::spi::exclusive::ExclusiveDevice<embassy_rp::spi::Spi<embassy_rp::peripherals::SPI0, \
                 embassy_rp::spi::Async>, embassy_rp::gpio::Output, embassy_time::delay::Delay> as \
                 embedded_hal_async::spi::SpiDevice>::transaction::{closure#0}",
                "ExclusiveDevice::transaction",
            ),
            ("<&mut core::fmt::Formatter as core::fmt::Write>::write_str", "Formatter::write_str"),
            ("<[u8] as core::slice::Join<&str>>::join", "[u8]::join"),
            ("core::ops::function::FnOnce::call_once{{vtable.shim}}", "FnOnce::call_once{{vtable.shim}}"),
            ("<fn(u8) -> u16 as a::Call>::call", "fn(u8) -> u16::call"),
            ("a::b::{closure#1}", "b::{closure#1}"),
        ];
        for (path, name) in names {
            assert_eq!(short_name(path), name, "{path}");
        }
    }

    #[test]
    fn brackets_that_do_not_match_stay() {
        for path in ["a::b<c::d", "a>::b", "<<<<", ""] {
            assert_eq!(short_name(path), path);
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_name_of_no_more_characters(path in "[a-c:<>\\[\\](){}#&* ,-]{0,60}") {
            prop_assert!(short_name(&path).len() <= path.len() + 2);
        }
    }
}

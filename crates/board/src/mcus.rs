//! The microcontrollers that a board may have: the only file that names their crates. The parser of board files, their schema
//! and the reference take names and limits from here.

use mcu::image::Image;
use mcu::{Facts, McuKind};
use units::Hertz;

/// All of them; the first one stands in examples.
pub(super) static MCUS: [&McuKind; 4] =
    [&rp2040::KIND, &avr::ATMEGA328P, &avr::ATMEGA1284P, &avr::ATMEGA2560];

/// The microcontroller that an image is for, as board files name it.
///
/// # Panics
/// Never: an image is read for one of them.
pub fn microcontroller_of(image: &Image) -> &'static str {
    let own = MCUS.iter().find(|kind| kind.facts.images.chip() == image.chip().chip());
    own.expect("an image is for a chip that boards have").facts.name
}

/// The largest boot ROM that any of them has.
pub(super) fn largest_rom() -> u64 {
    MCUS.iter().map(|kind| kind.facts.rom_bytes).max().unwrap_or_default()
}

/// The last GPIO that any of them has.
pub(super) const LAST_GPIO: u8 = {
    let (mut last, mut number) = (0, 0);
    while number < MCUS.len() {
        let own = MCUS[number].facts.gpio_count - 1;
        last = if own > last { own } else { last };
        number += 1;
    }
    last
};

/// The first GPIO with an ADC input that any of them has.
pub(super) const FIRST_ADC_GPIO: u8 = {
    let (mut first, mut number) = (u8::MAX, 0);
    while number < MCUS.len() {
        let own = *MCUS[number].facts.adc_gpios.start();
        first = if own < first { own } else { first };
        number += 1;
    }
    first
};

/// What holds for all of them, or for each where they differ; what several have in common is said once.
pub(super) fn of_each(value: fn(&Facts) -> String) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for kind in MCUS {
        let own = value(kind.facts);
        match groups.iter_mut().find(|(shared, _)| *shared == own) {
            Some((_, names)) => names.push(kind.facts.name),
            None => groups.push((own, vec![kind.facts.name])),
        }
    }
    if let [(value, _)] = groups.as_slice() {
        return value.clone();
    }
    let each = groups.iter().map(|(value, names)| format!("{value} with the {}", names.join(", ")));
    each.collect::<Vec<_>>().join("; ")
}

/// A frequency as people write it.
pub(super) fn in_hertz(hz: u64) -> String {
    Hertz::new(hz).map_or_else(|| "0 Hz".to_owned(), |hz| hz.to_string())
}

/// A size as people write it.
pub(super) fn in_bytes(bytes: u64) -> String {
    match bytes {
        bytes if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        bytes if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} B"),
    }
}

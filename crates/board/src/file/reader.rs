//! A board file's TOML into a board: every error names file, line and field.

use mcu::McuKind;
use toml::de::DeValue;
use units::{Bytes, Hertz};

use super::{BoardFile, PartEntry, board_fields, find_pin, hint};
use crate::fits::Misfit;
use crate::kinds::Kind;
use crate::mcus::{in_bytes, in_hertz};
use crate::parts::MOST_NETS;
use fields::toml_file::{Field, Misplaced, TomlFile, Value, fields_of, shown, told};
use fields::{Field as Declared, Settings, Takes, Value as Given, names};

const MAX_PARTS: usize = 100;

pub(super) struct Reader<'a> {
    file: TomlFile<'a>,
    kinds: &'static [Kind],
    mcus: &'static [&'static McuKind],
    /// The one that the board has, once that is read.
    mcu: &'static McuKind,
    pins: Vec<(String, u8)>,
}

impl<'a> Reader<'a> {
    pub(super) fn of(file: TomlFile<'a>, kinds: &'static [Kind], mcus: &'static [&'static McuKind]) -> Self {
        Self { file, kinds, mcus, mcu: mcus[0], pins: Vec::new() }
    }

    pub(super) fn board(mut self) -> Result<BoardFile, Misplaced> {
        let document = self.file.parse()?;
        let fields = fields_of(&document);
        self.file.refuse_unknown("", &fields, &names(board_fields()))?;
        let find =
            |wanted: &str| fields.iter().find(|(name, ..)| *name == wanted).map(|(_, _, value)| *value);
        let text = |name: &str| find(name).map(|value| self.file.text_of(name, value)).transpose();
        let path = self.file.path;
        let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let name = text("name")?.unwrap_or(stem);
        let title = text("title")?.unwrap_or_else(|| name.clone());
        self.mcu = self.mcu(find("mcu"))?;
        let crystal_hz = self.crystal(find("crystal"))?;
        let flash_bytes = self.flash(find("flash"))?;
        if let Some(value) = find("pins") {
            self.read_pins(value)?;
        }
        let parts = find("chips").map_or(Ok(Vec::new()), |value| self.parts(value))?;
        let outputs: Vec<&str> = parts.iter().flat_map(|part| part.kind.outputs).copied().collect();
        let room = MOST_NETS - self.mcu.facts.gpio_count;
        if outputs.len() > usize::from(room) {
            let span = find("chips").map_or(0..0, |value| value.span());
            let message = told(
                "chips",
                format!(" have {} outputs beside the pins, but a board has room for {room}", outputs.len()),
            );
            return Err(self.file.error(span, message));
        }
        let nets = outputs.into_iter().zip(self.mcu.facts.gpio_count..);
        self.pins.extend(nets.map(|(name, net)| (name.to_owned(), net)));
        Ok(BoardFile { name, title, mcu: self.mcu, crystal_hz, flash_bytes, pins: self.pins, parts })
    }

    fn mcu(&self, value: Option<&Value<'_>>) -> Result<&'static McuKind, Misplaced> {
        let names: Vec<&str> = self.mcus.iter().map(|kind| kind.facts.name).collect();
        let Some(value) = value else {
            let written: Vec<String> = names.iter().map(|name| format!("mcu = {name:?}")).collect();
            let message = told("mcu", format!(" is missing: write {}", written.join(" or ")));
            return Err(self.file.error(0..0, message));
        };
        let text = self.file.text_of("mcu", value)?;
        let known = self.mcus.iter().find(|kind| text.eq_ignore_ascii_case(kind.facts.name));
        known.copied().ok_or_else(|| {
            let near = fields::or_nearest(&text, &names);
            let message = told("mcu", format!(" is {text:?}, but it is one of {}{near}", names.join(", ")));
            self.file.error(value.span(), message)
        })
    }

    fn crystal(&self, value: Option<&Value<'_>>) -> Result<u64, Misplaced> {
        let facts = self.mcu.facts;
        let Some(value) = value else { return Ok(facts.usual_crystal_hz) };
        let text = self.file.text_of("crystal", value)?;
        let wrong = |what: String| self.file.error(value.span(), told("crystal", what));
        let hz = text.parse::<Hertz>().map_err(|error| wrong(format!(": {error}")))?.hz();
        if !facts.crystal_hz.contains(&hz) {
            let [lowest, highest] =
                [facts.crystal_hz.start(), facts.crystal_hz.end()].map(|&hz| in_hertz(hz));
            let takes = format!("the {}'s oscillator takes {lowest} to {highest}", facts.title);
            return Err(wrong(format!(" is {text}, but {takes}")));
        }
        Ok(hz)
    }

    fn flash(&self, value: Option<&Value<'_>>) -> Result<u32, Misplaced> {
        let facts = self.mcu.facts;
        let Some(value) = value else { return Ok(facts.usual_flash_bytes) };
        let text = self.file.text_of("flash", value)?;
        let wrong = |what: String| self.file.error(value.span(), told("flash", what));
        let bytes = text.parse::<Bytes>().map_err(|error| wrong(format!(": {error}")))?.get();
        if !bytes.is_power_of_two() || !facts.flash_bytes.contains(&bytes) {
            let [least, most] =
                [facts.flash_bytes.start(), facts.flash_bytes.end()].map(|&bytes| in_bytes(bytes));
            return Err(wrong(format!(" is {text}, but it takes a power of two from {least} to {most}")));
        }
        Ok(bytes as u32)
    }

    fn read_pins(&mut self, value: &Value<'_>) -> Result<(), Misplaced> {
        for (name, span, value) in fields_of(self.file.table_of("pins", value)?) {
            if name.is_empty() || find_pin(&[], name, self.mcu.facts).is_some() {
                let message = told(
                    format!("pins.{name:?}"),
                    ": a name of a pin is no number; give for example LED = 25",
                );
                return Err(self.file.error(span, message));
            }
            let gpio =
                self.file.whole(&format!("pins.{name}"), value, 0, u64::from(self.mcu.facts.last_gpio()))?;
            self.pins.push((name.to_owned(), gpio as u8));
        }
        Ok(())
    }

    fn parts(&self, value: &Value<'_>) -> Result<Vec<PartEntry>, Misplaced> {
        let entries = fields_of(self.file.table_of("chips", value)?);
        if let Some((_, span, _)) = entries.get(MAX_PARTS) {
            return Err(self
                .file
                .error(span.clone(), told("chips", format!(": a board has at most {MAX_PARTS}"))));
        }
        let mut parts: Vec<PartEntry> = Vec::with_capacity(entries.len());
        for entry @ (name, span, _) in &entries {
            let part = self.part(entry)?;
            if let Some(other) = parts.iter().find(|other| answer_alike(other, &part)) {
                let message = told(
                    format!("chips.{name}.select"),
                    format!(
                        " is {}, which chips.{} has on the same SPI port; give each a pin of its own",
                        self.pin_name(&part, "select"),
                        other.name
                    ),
                );
                return Err(self.file.error(span.clone(), message));
            }
            parts.push(part);
        }
        Ok(parts)
    }

    /// Two inputs or outputs of a chip are never on one pin.
    fn refuse_shared_pins(
        &self,
        within: &str,
        part: &PartEntry,
        fields: &[Field<'_>],
    ) -> Result<(), Misplaced> {
        let pins: Vec<(&str, u8)> = part.pins().collect();
        for (place, (field, pin)) in pins.iter().enumerate() {
            let Some((other, _)) = pins[..place].iter().find(|(_, before)| before == pin) else { continue };
            let message = told(
                format!("{within}.{field}"),
                format!(
                    " is {}, which {other} is as well; give each a pin of its own",
                    self.pin_name(part, field)
                ),
            );
            return Err(self.file.error(place_of(field, fields), message));
        }
        Ok(())
    }

    /// What the microcontroller does not have is not asked of it.
    fn refuse_misfit(&self, within: &str, part: &PartEntry, fields: &[Field<'_>]) -> Result<(), Misplaced> {
        part.fits(self.mcu.facts).map_err(|Misfit { field, words }| {
            self.file.error(place_of(field, fields), told(format!("{within}.{field}"), format!(" {words}")))
        })
    }

    /// What the microcontroller calls the pin of a field.
    fn pin_name(&self, part: &PartEntry, field: &str) -> String {
        let pin = part.pins().find(|(name, _)| *name == field);
        pin.map_or_else(String::new, |(_, pin)| (self.mcu.facts.pin_name)(pin))
    }

    fn part(&self, (name, span, value): &Field<'_>) -> Result<PartEntry, Misplaced> {
        let within = format!("chips.{name}");
        let fields = fields_of(self.file.table_of(&within, value)?);
        let kind = self.kind(&within, span, &fields)?;
        let known: Vec<&str> = ["kind"].into_iter().chain(names(kind.fields)).collect();
        self.file.refuse_unknown(&format!("{within}."), &fields, &known)?;
        let mut values = Settings::defaults(kind.fields);
        for field in kind.fields {
            let at = fields.iter().find(|(name, ..)| *name == field.name);
            match at {
                Some((_, _, value)) => {
                    values.put(field, self.value(&format!("{within}.{}", field.name), field, value)?);
                }
                None if field.is_needed() => {
                    let message = told(
                        format!("{within}.{}", field.name),
                        format!(" is missing: it is {}, such as {}", field.help, field.example),
                    );
                    return Err(self.file.error(span.clone(), message));
                }
                None => {}
            }
        }
        let part = PartEntry { name: (*name).to_owned(), kind, values };
        if let Err(Misfit { field, words }) = part.build() {
            let message = told(format!("{within}.{field}"), format!(" {words}"));
            return Err(self.file.error(span.clone(), message));
        }
        self.refuse_shared_pins(&within, &part, &fields)?;
        self.refuse_misfit(&within, &part, &fields)?;
        Ok(part)
    }

    fn kind(
        &self,
        within: &str,
        span: &std::ops::Range<usize>,
        fields: &[Field<'_>],
    ) -> Result<&'static Kind, Misplaced> {
        let names: Vec<&str> = self.kinds.iter().map(|kind| kind.name).collect();
        let Some((_, _, value)) = fields.iter().find(|(name, ..)| *name == "kind") else {
            let message =
                told(format!("{within}.kind"), format!(" is missing: it is one of {}", names.join(", ")));
            return Err(self.file.error(span.clone(), message));
        };
        let text = self.file.text_of(&format!("{within}.kind"), value)?;
        self.kinds.iter().find(|kind| kind.name == text).ok_or_else(|| {
            let near = fields::or_nearest(&text, &names);
            let message = told(
                format!("{within}.kind"),
                format!(" is {text:?}, but it is one of {}{near}", names.join(", ")),
            );
            self.file.error(value.span(), message)
        })
    }

    fn value(&self, name: &str, field: &Declared, value: &Value<'_>) -> Result<Given, Misplaced> {
        match (&field.takes, value.get_ref()) {
            (Takes::Pin { .. }, DeValue::Integer(_)) => {
                let gpio = self.file.whole(name, value, 0, u64::from(self.mcu.facts.last_gpio()))? as u8;
                self.pin(name, &field.takes, gpio, value)
            }
            (Takes::Pin { .. }, DeValue::String(text)) => {
                let gpio = find_pin(&self.pins, text, self.mcu.facts).ok_or_else(|| {
                    let message = told(
                        name,
                        format!(
                            " is {text:?}, but [pins] has no such name{}",
                            hint(&self.pins, text, self.mcu.facts)
                        ),
                    );
                    self.file.error(value.span(), message)
                })?;
                self.pin(name, &field.takes, gpio, value)
            }
            _ => self.file.value_of(name, field, value),
        }
    }

    /// A pin that there is, where the field takes it.
    fn pin(&self, name: &str, takes: &Takes, gpio: u8, value: &Value<'_>) -> Result<Given, Misplaced> {
        let inputs = &self.mcu.facts.adc_gpios;
        // Which pins have an ADC input, the board's own microcontroller says.
        let own = match takes {
            Takes::Pin { which, .. } if !which.is_empty() => {
                Takes::Pin { which, lowest: *inputs.start(), highest: *inputs.end() }
            }
            _ => *takes,
        };
        own.value(&gpio.to_string()).ok_or_else(|| {
            let message = told(name, format!(" is {}, but it takes {own}", shown(value.get_ref())));
            self.file.error(value.span(), message)
        })
    }
}

/// Where the value of a field stands.
fn place_of(field: &str, fields: &[Field<'_>]) -> std::ops::Range<usize> {
    fields.iter().find(|(name, ..)| *name == field).map_or(0..0, |(_, _, value)| value.span())
}

/// Whether two chips are meant by the same select on the same SPI port.
fn answer_alike(one: &PartEntry, other: &PartEntry) -> bool {
    let meant = |part: &PartEntry| {
        let select = part.pins().find(|(field, _)| *field == "select")?.1;
        Some((part.value("spi")?.clone(), select))
    };
    meant(one).is_some() && meant(one) == meant(other)
}

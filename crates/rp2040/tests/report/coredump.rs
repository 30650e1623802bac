//! Backtraces of memory dumps of real boards against those that probe-rs keeps beside them (probe-rs, folder
//! probe-rs-debug: tests/debug-unwind-tests and src/snapshots). The files `rust_NAME.elf`, `.coredump` and `.snap` are
//! looked for among the public images.

use std::collections::BTreeMap;
use std::ops::Range;

use mcu::image::Symbols;
use rp2040::report::{Backtrace, Found, Registers, backtrace};

use super::support::{load, public_image};

/// A value of MessagePack, as far as dumps need it.
#[derive(Debug)]
enum Value {
    Number(u32),
    Text,
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let (first, rest) = self.0.split_first_chunk().expect("the dump goes on");
        self.0 = rest;
        *first
    }

    fn value(&mut self) -> Value {
        let [tag] = self.bytes();
        match tag {
            0x00..=0x7f => Value::Number(tag.into()),
            0x80..=0x8f => self.map(tag & 15),
            0x90..=0x9f => self.list((tag & 15).into()),
            0xa0..=0xbf => self.text((tag & 31).into()),
            0xcc => Value::Number(self.bytes::<1>()[0].into()),
            0xcd => Value::Number(u16::from_be_bytes(self.bytes()).into()),
            0xce => Value::Number(u32::from_be_bytes(self.bytes())),
            0xdc => {
                let length = u16::from_be_bytes(self.bytes());
                self.list(length.into())
            }
            0xdd => {
                let length = u32::from_be_bytes(self.bytes());
                self.list(length)
            }
            0xde => {
                let length = u16::from_be_bytes(self.bytes());
                self.map(length as u8)
            }
            0xc0 | 0xc2 | 0xc3 => Value::Text,
            0xcf => {
                let wide = u64::from_be_bytes(self.bytes());
                Value::Number(wide as u32)
            }
            other => panic!("a dump with the tag {other:#x}"),
        }
    }

    fn list(&mut self, length: u32) -> Value {
        Value::List((0..length).map(|_| self.value()).collect())
    }

    fn map(&mut self, length: u8) -> Value {
        Value::Map((0..length).map(|_| (self.value(), self.value())).collect())
    }

    fn text(&mut self, length: usize) -> Value {
        self.0 = &self.0[length..];
        Value::Text
    }
}

impl Value {
    fn number(&self) -> u32 {
        match self {
            Value::Number(number) => *number,
            // A register is a map of its width to its value.
            Value::Map(entries) => entries[0].1.number(),
            other => panic!("{other:?} is no number"),
        }
    }

    fn list(&self) -> &[Value] {
        let Value::List(list) = self else { panic!("{self:?} is no list") };
        list
    }

    fn map(&self) -> &[(Value, Value)] {
        let Value::Map(entries) = self else { panic!("{self:?} is no map") };
        entries
    }
}

struct Dump {
    registers: BTreeMap<u32, u32>,
    memory: Vec<(Range<u32>, Vec<u8>)>,
}

impl Dump {
    fn parse(bytes: &[u8]) -> Dump {
        let value = Reader(bytes).value();
        let entries = value.map();
        let registers = entries[0].1.map().iter().map(|(number, value)| (number.number(), value.number()));
        let memory = entries[1].1.list().iter().map(|range| {
            let [range, bytes] = range.list() else { panic!("a range has two parts") };
            let ends: Vec<u32> = range.map().iter().map(|(_, end)| end.number()).collect();
            (ends[0]..ends[1], bytes.list().iter().map(|byte| byte.number() as u8).collect())
        });
        Dump { registers: registers.collect(), memory: memory.collect() }
    }

    fn word(&self, address: u32) -> Option<u32> {
        let (range, bytes) = self.memory.iter().find(|(range, _)| range.contains(&address))?;
        let bytes = bytes.get((address - range.start) as usize..)?.get(..4)?;
        Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
    }

    /// By probe-rs's numbers: 16 is xPSR, 17 and 18 are the stack pointers, 20 holds CONTROL in its top byte.
    fn registers(&self) -> Registers {
        let number = |number: u32| self.registers.get(&number).copied().unwrap_or(0);
        Registers {
            r: std::array::from_fn(|register| number(register as u32)),
            xpsr: number(16),
            main_stack: number(17),
            process_stack: number(18),
            on_process_stack: number(20) >> 25 & 1 == 1,
        }
    }
}

/// Functions with lines, innermost first, as probe-rs lists them: inlined ones are frames of their own.
fn expected(snapshot: &str) -> Vec<(String, u32)> {
    let mut frames: Vec<(String, u32)> = Vec::new();
    for line in snapshot.lines() {
        if let Some(name) = line.strip_prefix("- function_name: ") {
            let name = name.trim_matches('"').split(" : ERROR").next().unwrap_or(name);
            let inner = name.strip_prefix("__cortex_m_rt_").and_then(|name| name.strip_suffix("_trampoline"));
            frames.push((inner.unwrap_or(name).to_owned(), 0));
        } else if let Some(number) = line.strip_prefix("    line: ") {
            let last = frames.last_mut().expect("a line follows its function");
            last.1 = number.parse().expect("a number");
        }
    }
    frames
}

/// probe-rs looks interrupted instructions up as if they were return addresses, and names functions that are exported under
/// another name as the source does.
fn found(backtrace: &Backtrace, symbols: &Symbols) -> Vec<(String, u32)> {
    let mut frames = Vec::new();
    for frame in &backtrace.frames {
        let mut lines = frame.place.lines.clone();
        if let Found::Interrupted(number) = frame.found {
            let name = if number == 11 { "SVC".to_owned() } else { rp2040::report::exception_name(number) };
            frames.push((name, 0));
            lines = symbols.lines_at(frame.place.address - 1);
        }
        frames.extend(lines.iter().map(|line| {
            let function = line.function.as_deref().unwrap_or_default();
            (function.rsplit("::").next().unwrap_or_default().to_owned(), line.line)
        }));
    }
    frames
}

/// probe-rs stops where its dump has no memory, so that what it found is where ours begins.
fn compare(name: &str) {
    let files =
        ["elf", "coredump", "snap"].map(|extension| public_image(&format!("rust_{name}.{extension}")));
    let [Some(elf), Some(dump), Some(snapshot)] = files else { return };
    let image = load(&elf);
    let dump = Dump::parse(&std::fs::read(dump).expect("the dump can be read"));
    let snapshot = std::fs::read_to_string(snapshot).expect("the snapshot can be read");
    let backtrace = backtrace(&dump.registers(), &|address| dump.word(address), image.symbols());
    let (ours, theirs) = (found(&backtrace, image.symbols()), expected(&snapshot));
    assert!(theirs.len() > 5);
    assert_eq!(ours[..theirs.len().min(ours.len())], theirs[..], "{backtrace:#?}");
    assert!(backtrace.frames.iter().all(|frame| frame.found != Found::Guessed));
}

#[test]
fn a_deep_recursion_is_unwound_as_probe_rs_does_it() {
    compare("full_unwind");
}

#[test]
fn a_supervisor_call_is_unwound_as_probe_rs_does_it() {
    compare("svcall");
}

#[test]
fn an_interrupted_delay_is_unwound_with_its_inlined_functions_as_probe_rs_does_it() {
    compare("systick");
}

//! Value change dump (IEEE 1364-2005, section 18): one wire per channel, in the coarsest unit that is exact.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::change::{CaptureInfo, Channel, MAX_CHANNELS};
use crate::write::spool::Spool;

const NAME_CHARACTERS_MAX: usize = 256;
/// The units of a dump, coarsest first; each may be taken 100 or 10 times.
const UNITS: [(&str, u64); 5] =
    [("s", 1_000_000_000_000), ("ms", 1_000_000_000), ("us", 1_000_000), ("ns", 1_000), ("ps", 1)];

pub(super) fn write(info: &CaptureInfo, spool: Spool, out: &mut dyn Write) -> io::Result<()> {
    let (count, unit, tick_ps) = coarsest(spool.finest_ps);
    let end_ticks = spool.end_ps / tick_ps;
    declare(info, count, unit, out)?;
    let mut line = Vec::new();
    let mut before: Option<u64> = None;
    let mut ticks = 0;
    for change in spool.changes() {
        let change = change?;
        ticks = change.time_ps / tick_ps;
        line.clear();
        writeln!(line, "#{ticks}")?;
        if before.is_none() {
            line.extend_from_slice(b"$dumpvars\n");
        }
        let differing = before.map_or(u64::MAX, |before| before ^ change.levels);
        for bit in (0..info.channels.len()).filter(|bit| differing >> bit & 1 == 1) {
            writeln!(line, "{}{}", change.levels >> bit & 1, code(bit))?;
        }
        if before.is_none() {
            line.extend_from_slice(b"$end\n");
        }
        out.write_all(&line)?;
        before = Some(change.levels);
    }
    if end_ticks > ticks {
        writeln!(out, "#{end_ticks}")?;
    }
    Ok(())
}

fn declare(info: &CaptureInfo, count: u64, unit: &str, out: &mut dyn Write) -> io::Result<()> {
    if let Some(start) = &info.start {
        writeln!(out, "$date {start} $end")?;
    }
    writeln!(out, "$version Airwire $end\n$timescale {count} {unit} $end\n$scope module capture $end")?;
    for (position, name) in names(&info.channels).iter().enumerate() {
        writeln!(out, "$var wire 1 {} {name} $end", code(position))?;
    }
    writeln!(out, "$upscope $end\n$enddefinitions $end")
}

/// The coarsest time scale whose tick divides `finest_ps`: count, unit and picoseconds a tick.
fn coarsest(finest_ps: u64) -> (u64, &'static str, i64) {
    let scales = UNITS
        .into_iter()
        .flat_map(|(unit, unit_ps)| [100, 10, 1].map(|count| (count, unit, count * unit_ps)));
    let (count, unit, tick_ps) = scales
        .into_iter()
        .find(|(_, _, tick_ps)| finest_ps > 0 && finest_ps.is_multiple_of(*tick_ps))
        .unwrap_or((1, "ns", 1_000));
    (count, unit, i64::try_from(tick_ps).expect("a tick is at most 100 s"))
}

/// The identifier code at a position: one of the 94 printable characters, which suffice for all channels.
fn code(position: usize) -> char {
    const FIRST: u8 = b'!';
    const _: () = assert!(FIRST as usize + MAX_CHANNELS <= b'~' as usize);
    char::from(FIRST + position as u8)
}

/// Labels as names without white space, each once, and none too long for a reader.
fn names(channels: &[Channel]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut names = Vec::new();
    for (position, channel) in channels.iter().enumerate() {
        let mut name: String = channel
            .label
            .chars()
            .take(NAME_CHARACTERS_MAX)
            .map(|c| if c.is_ascii_graphic() && c != '$' { c } else { '_' })
            .collect();
        if name.is_empty() {
            name = format!("channel_{}", channel.index);
        }
        // Ends: each round tries a longer name, and only the names before it are taken.
        while !taken.insert(name.clone()) {
            name = format!("{name}_{position}");
        }
        names.push(name);
    }
    names
}

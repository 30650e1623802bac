//! CSV as Saleae Logic 2 exports digital channels: a row per change, and one more at the end of the capture.

use std::io::{self, Write};

use units::{PS_PER_NS, PS_PER_S};

use crate::change::CaptureInfo;
use crate::civil::{days_from_date, days_in_month, rfc3339};
use crate::write::spool::Spool;

const NS_PER_S: i64 = 1_000_000_000;
const SECONDS_A_DAY: i64 = 86_400;
const NS_A_DAY: i128 = SECONDS_A_DAY as i128 * NS_PER_S as i128;

pub(super) fn write(info: &CaptureInfo, spool: Spool, out: &mut dyn Write) -> io::Result<()> {
    let whole_ns = spool.finest_ps.is_multiple_of(PS_PER_NS as u64);
    let end_ps = spool.end_ps;
    let mut rows = Rows {
        start: info.start.as_deref().and_then(start_ns).filter(|_| whole_ns),
        channels: info.channels.len(),
        day: None,
        line: Vec::new(),
    };
    let mut header = b"Time [s]".to_vec();
    for channel in &info.channels {
        header.push(b',');
        header.extend_from_slice(quoted(&channel.label).as_bytes());
    }
    header.push(b'\n');
    out.write_all(&header)?;
    let mut last = None;
    for change in spool.changes() {
        let change = change?;
        out.write_all(rows.row(change.time_ps, change.levels)?)?;
        last = Some(change);
    }
    match last {
        Some(last) if last.time_ps < end_ps => out.write_all(rows.row(end_ps, last.levels)?),
        _ => Ok(()),
    }
}

/// Formats rows into one buffer.
struct Rows {
    /// Nanoseconds since 1970 of the capture's start, where rows have dates.
    start: Option<i128>,
    channels: usize,
    /// The day that was formatted last, and how.
    day: Option<(i128, String)>,
    line: Vec<u8>,
}

impl Rows {
    fn row(&mut self, time_ps: i64, levels: u64) -> io::Result<&[u8]> {
        self.line.clear();
        match self.start {
            Some(start) => self.date(start + i128::from(time_ps / PS_PER_NS))?,
            None => write!(self.line, "{}.{:012}", time_ps / PS_PER_S, time_ps % PS_PER_S)?,
        }
        for bit in 0..self.channels {
            self.line.extend_from_slice(if levels >> bit & 1 == 1 { b",1" } else { b",0" });
        }
        self.line.push(b'\n');
        Ok(&self.line)
    }

    fn date(&mut self, ns: i128) -> io::Result<()> {
        let day = ns.div_euclid(NS_A_DAY);
        if self.day.as_ref().is_none_or(|(known, _)| *known != day) {
            let midnight = rfc3339(day * NS_A_DAY * i128::from(PS_PER_NS))
                .ok_or_else(|| io::Error::other("the capture goes on after the year 9999"))?;
            self.day = Some((day, midnight.chars().take_while(|c| *c != 'T').collect()));
        }
        let date = self.day.as_ref().map_or("", |(_, date)| date);
        let ns_of_day = ns.rem_euclid(NS_A_DAY) as i64;
        let (second, ns) = (ns_of_day / NS_PER_S, ns_of_day % NS_PER_S);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        write!(self.line, "{date}T{hour:02}:{minute:02}:{second:02}.{ns:09}+00:00")
    }
}

/// The nanoseconds since 1970 of a time such as `2023-11-08T01:54:37.572612000Z`.
fn start_ns(text: &str) -> Option<i128> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut time = time.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    let ns: i64 = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    let in_range = (0..=9_999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_in_month(year, month)).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    if !in_range {
        return None;
    }
    let seconds = days_from_date(year, month, day) * SECONDS_A_DAY + hour * 3_600 + minute * 60 + second;
    Some(i128::from(seconds) * i128::from(NS_PER_S) + i128::from(ns))
}

/// A label as a CSV field, on the header's one line.
fn quoted(label: &str) -> String {
    let label = label.replace(char::is_control, " ");
    match label.contains([',', '"']) {
        true => format!("\"{}\"", label.replace('"', "\"\"")),
        false => label,
    }
}

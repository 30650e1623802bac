//! What came out of the consoles: whole, by console, and as lines with their times.

use mcu::Console;
use units::Picoseconds;

/// All consoles, in the order in which they are shown.
pub const CONSOLES: [Console; 4] = [Console::Uart0, Console::Uart1, Console::Usb, Console::Rtt];
/// What is kept of a console; more is counted and streamed, but forgotten.
const MOST_BYTES: usize = 64 << 20;
/// A line is cut here, so that output without line ends makes lines as well.
const LINE_BYTES: usize = 4096;

/// What a console is called.
pub fn console_name(console: Console) -> &'static str {
    match console {
        Console::Uart0 => "uart0",
        Console::Uart1 => "uart1",
        Console::Usb => "usb",
        Console::Rtt => "rtt",
    }
}

/// A line that came out of a console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleLine {
    /// The console.
    pub console: Console,
    /// When its first byte was there.
    pub at: Picoseconds,
    /// Its text, without the line end.
    pub text: Vec<u8>,
}

/// The output of all consoles.
#[derive(Debug, Clone, Default)]
pub(super) struct ConsoleLog {
    texts: [Vec<u8>; CONSOLES.len()],
    counts: [u64; CONSOLES.len()],
    open: [Option<ConsoleLine>; CONSOLES.len()],
    /// Lines since they were last taken; kept only when somebody takes them.
    lines: Vec<ConsoleLine>,
    pub(super) keep_lines: bool,
    /// When the last byte was there, what a probe reads aside.
    pub(super) last: Option<Picoseconds>,
}

impl ConsoleLog {
    pub(super) fn add(&mut self, console: Console, bytes: &[(Picoseconds, u8)]) {
        let place = place(console);
        self.counts[place] += bytes.len() as u64;
        let room = MOST_BYTES.saturating_sub(self.texts[place].len());
        self.texts[place].extend(bytes.iter().take(room).map(|(_, byte)| byte));
        if console != Console::Rtt {
            self.last = self.last.max(bytes.last().map(|(at, _)| *at));
        }
        if self.keep_lines {
            for &(at, byte) in bytes {
                self.add_to_line(console, at, byte);
            }
        }
    }

    fn add_to_line(&mut self, console: Console, at: Picoseconds, byte: u8) {
        let open = &mut self.open[place(console)];
        if byte != b'\n' {
            let line = open.get_or_insert_with(|| ConsoleLine { console, at, text: Vec::new() });
            line.text.push(byte);
            if line.text.len() < LINE_BYTES {
                return;
            }
        }
        self.lines.extend(open.take());
    }

    /// Everything that is kept of a console.
    pub(super) fn text(&self, console: Console) -> &[u8] {
        &self.texts[place(console)]
    }

    /// How many bytes came out of a console.
    pub(super) fn count(&self, console: Console) -> u64 {
        self.counts[place(console)]
    }

    pub(super) fn take_lines(&mut self, unfinished: bool) -> Vec<ConsoleLine> {
        let mut lines = std::mem::take(&mut self.lines);
        if unfinished {
            lines.extend(self.open.iter_mut().filter_map(Option::take));
        }
        lines
    }
}

fn place(console: Console) -> usize {
    match console {
        Console::Uart0 => 0,
        Console::Uart1 => 1,
        Console::Usb => 2,
        Console::Rtt => 3,
    }
}

//! Run control: a board runs until a time, a text on a console or the level of a pin, and comes back at exactly that
//! moment. It runs in slices of virtual time; between them console output is handed on, recordings are collected, samples
//! are taken, and whoever wants to stop it is heard.

use mcu::{Console, Stop, StopAt};
use units::{PS_PER_MS, Picoseconds};

use super::{Board, CONSOLES};
use record::Control;

/// How much virtual time passes before somebody is asked whether to go on.
const SLICE_PS: i64 = 5 * PS_PER_MS;
/// Text that is to be typed waits until the console was silent for this long after it printed something.
const SILENCE: Picoseconds = Picoseconds::new(10 * PS_PER_MS);

/// A serial port over USB that has been open for this long while nothing was printed: somebody at a terminal would press
/// Enter now, because prompts are printed before the port is open and are lost.
const PATIENCE: Picoseconds = Picoseconds::new(250 * PS_PER_MS);

/// When a run ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunUntil {
    /// At this time at the latest.
    pub end: Picoseconds,
    /// When this text comes out of a console.
    pub text: Option<Vec<u8>>,
    /// When this pin has this level.
    pub pin: Option<(u8, bool)>,
    /// When every client at the other end of the wire is done; noticed within 5 ms.
    pub clients: bool,
    /// What is typed on the way: each when the console has printed something and then fallen silent, the first also when
    /// the USB serial port is open and nothing was printed at all.
    pub typed: Vec<Vec<u8>>,
    /// Whether Enter is pressed once on a USB serial port that is open and silent, where nothing is typed.
    pub knocks: bool,
    /// Whether the image's own handler of HardFault goes on where it faults.
    pub past_faults: bool,
}

impl RunUntil {
    /// Until a time.
    pub fn time(end: Picoseconds) -> Self {
        Self {
            end,
            text: None,
            pin: None,
            clients: false,
            typed: Vec::new(),
            knocks: false,
            past_faults: false,
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The text came out of this console.
    Text(Console),
    /// The pin has the level.
    Pin,
    /// Every client is done.
    Clients,
    /// GDB killed it.
    Killed,
    /// Somebody stopped it.
    Interrupted,
    /// The time is over, or the chip came back by itself.
    Chip(Stop),
}

/// Whoever follows a run.
pub trait Listener {
    /// Bytes came out of a console.
    fn console(&mut self, console: Console, bytes: &[(Picoseconds, u8)]);

    /// Whether the run goes on; asked every few milliseconds of virtual time.
    fn goes_on(&mut self) -> bool {
        true
    }
}

impl Listener for () {
    fn console(&mut self, _: Console, _: &[(Picoseconds, u8)]) {}
}

/// The text that is waited for, and how much of it each console has printed.
struct Awaited<'a> {
    text: &'a [u8],
    /// The last bytes of each console, one fewer than the text has.
    tails: [(Console, Vec<u8>); CONSOLES.len()],
}

impl<'a> Awaited<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, tails: CONSOLES.map(|console| (console, Vec::new())) }
    }

    /// Takes what a console printed; true when the text is there.
    fn add(&mut self, console: Console, bytes: &[(Picoseconds, u8)]) -> bool {
        let Some((_, tail)) = self.tails.iter_mut().find(|(known, _)| *known == console) else {
            return false;
        };
        tail.extend(bytes.iter().map(|(_, byte)| byte));
        let found = tail.windows(self.text.len()).any(|part| part == self.text);
        let kept = tail.len().min(self.text.len().saturating_sub(1));
        tail.drain(..tail.len() - kept);
        found
    }
}

/// The state of a run between its slices.
pub(super) struct Course<'a> {
    until: &'a RunUntil,
    /// When it comes back at the latest: the end that was asked for, or in real time the present.
    pub(super) end: Picoseconds,
    awaited: Option<Awaited<'a>>,
    typed: usize,
    /// When the console was last heard since something was typed.
    heard: Option<Picoseconds>,
    /// When the USB serial port was first seen open, while no console has printed anything yet.
    open_and_silent: Option<Picoseconds>,
}

impl<'a> Course<'a> {
    pub(super) fn new(until: &'a RunUntil) -> Self {
        let text = until.text.as_deref().filter(|text| !text.is_empty());
        let awaited = text.map(Awaited::new);
        Self { until, end: until.end, awaited, typed: 0, heard: None, open_and_silent: None }
    }

    /// When the next text is typed, if the console stays silent until then.
    fn types_at(&self) -> Option<Picoseconds> {
        if self.typed < self.until.typed.len() {
            let heard = self.heard.map(|at| at + SILENCE);
            return heard.or(self.open_and_silent.map(|at| at + PATIENCE));
        }
        let knocks = self.until.knocks && self.until.typed.is_empty();
        self.open_and_silent.filter(|_| knocks).map(|at| at + PATIENCE)
    }

    /// Why texts are left that were to be typed, when the time is over.
    fn untyped(&self) -> Option<String> {
        let given = self.until.typed.len();
        let left = given.checked_sub(self.typed).filter(|left| *left > 0)?;
        let since = match self.typed {
            0 => String::new(),
            typed => format!(" after text {typed}"),
        };
        let why = match self.heard {
            Some(_) => format!("was not silent for 10 ms{since}"),
            None => format!("printed nothing{since}"),
        };
        Some(format!(
            "{left} of {given} texts were not typed: each waits until the console has printed something and fallen silent, and it {why}"
        ))
    }
}

impl Board {
    /// Runs until something of `until` comes true, the image faults or ends, or somebody stops it.
    pub fn run(&mut self, until: &RunUntil, control: &Control, listener: &mut dyn Listener) -> Ended {
        let mut course = Course::new(until);
        let ended = self.run_course(&mut course, control, listener);
        // An image may have set up its control block, written and fallen asleep since RAM was searched last.
        if ended == Ended::Chip(Stop::Asleep) && self.probe.look_once_more(&mut *self.chip) {
            return self.collect(&mut course, listener).map_or(ended, Ended::Text);
        }
        ended
    }

    /// The same for a run that is made in several goes, each until the course's own end.
    pub(super) fn run_course(
        &mut self,
        course: &mut Course<'_>,
        control: &Control,
        listener: &mut dyn Listener,
    ) -> Ended {
        let until = course.until;
        let console = course.awaited.is_some();
        let pins = until.pin.map_or(0, |(pin, _)| 1 << pin);
        self.chip.stop_at(StopAt { console, pins });
        self.chip.stop_at_faults(!until.past_faults);
        let ended = loop {
            if self.has_level(until.pin) {
                break Ended::Pin;
            }
            if until.clients && self.clients_are_done() {
                break Ended::Clients;
            }
            if control.is_stopped() || !listener.goes_on() {
                break Ended::Interrupted;
            }
            if let Some(ended) = self.run_slice(course, listener) {
                break ended;
            }
        };
        self.chip.stop_at(StopAt::default());
        self.chip.stop_at_faults(true);
        if !until.typed.is_empty() {
            let is_over = matches!(ended, Ended::Chip(Stop::Time | Stop::Asleep));
            self.untyped = course.untyped().filter(|_| is_over);
        }
        self.let_output_out(ended, course, listener)
    }

    fn has_level(&self, pin: Option<(u8, bool)>) -> bool {
        pin.is_some_and(|(pin, level)| (self.levels() >> pin & 1 == 1) == level)
    }

    /// Runs to the end of the slice, which is a whole number of slices from the start of time.
    fn run_slice(&mut self, course: &mut Course<'_>, listener: &mut dyn Listener) -> Option<Ended> {
        let slice = Picoseconds::new((self.now().ps() / SLICE_PS).saturating_add(1).saturating_mul(SLICE_PS));
        loop {
            let target = slice.min(course.end).min(course.types_at().unwrap_or(slice));
            let stop = self.run_chip(target);
            if let Some(console) = self.collect(course, listener) {
                return Some(Ended::Text(console));
            }
            match stop {
                Stop::Time if self.now() >= course.end => return Some(Ended::Chip(Stop::Time)),
                Stop::Time if course.types_at().is_some_and(|at| at <= self.now()) => self.type_next(course),
                Stop::Time if self.now() >= slice => return None,
                Stop::Time | Stop::Console => {}
                // Time passes for whoever may still type, or for the end that was asked for.
                Stop::Asleep if course.types_at().is_some() => self.type_next(course),
                Stop::Pin => return None,
                // The other core, DMA and PIO go on.
                Stop::LockedUp(_) if course.until.past_faults => {}
                stop => return Some(Ended::Chip(stop)),
            }
        }
    }

    fn type_next(&mut self, course: &mut Course<'_>) {
        let silent = course.open_and_silent.take().is_some() && course.heard.is_none();
        let console = if silent { Console::Usb } else { self.main_console() };
        let text = course.until.typed.get(course.typed).map_or(&b"\r\n"[..], Vec::as_slice);
        course.typed += 1;
        course.heard = None;
        self.send(console, text);
    }

    /// Notes that the USB serial port is open, for whom nothing was printed before.
    fn listen_at_usb(&mut self, course: &mut Course<'_>) {
        let waits = course.typed == 0 && self.consoles.last.is_none() && course.open_and_silent.is_none();
        if waits && self.usb_console_is_there() {
            course.open_and_silent = Some(self.now());
        }
    }

    /// Lets the chip run, with samples and the looks of the debug probe on the way; whatever it reads ends the run there.
    pub(super) fn run_chip(&mut self, end: Picoseconds) -> Stop {
        loop {
            let look = self.probe.next();
            let stop = self.chip.run_sampled(end.min(look), &mut self.sampler);
            match stop {
                Stop::Time if end < look => return stop,
                Stop::Time if self.probe.look(&mut *self.chip) => return Stop::Console,
                Stop::Time if self.now() < end => {}
                Stop::Time => return stop,
                Stop::Console | Stop::Pin | Stop::AwaitsLine => {
                    self.probe.look(&mut *self.chip);
                    return stop;
                }
                Stop::Asleep => {
                    self.probe.look_if_found(&mut *self.chip);
                    return stop;
                }
                // It has stopped for good: what it has written until then is all.
                _ => {
                    self.probe.look_once_more(&mut *self.chip);
                    return stop;
                }
            }
        }
    }

    /// Takes over what happened; the console from which the awaited text came.
    pub(super) fn collect(
        &mut self,
        course: &mut Course<'_>,
        listener: &mut dyn Listener,
    ) -> Option<Console> {
        self.recording.collect(&mut *self.chip);
        if let Some(lan) = self.parts().lan() {
            lan.continue_capture();
        }
        let mut found = None;
        for (console, bytes) in self.drain_consoles() {
            listener.console(console, &bytes);
            // What a probe reads says nothing of whether the console where one would type is silent.
            if console != Console::Rtt || self.main_console() == Console::Rtt {
                course.heard = course.heard.max(bytes.last().map(|(at, _)| *at));
                course.open_and_silent = None;
            }
            let is_there = course.awaited.as_mut().is_some_and(|awaited| awaited.add(console, &bytes));
            found = found.or(is_there.then_some(console));
        }
        self.listen_at_usb(course);
        self.continue_trace(false);
        found
    }
}

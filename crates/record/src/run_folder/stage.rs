//! What a time goes to, as values: a cause, a site and a subject. Their codes stand in run folders and stay; words are made of
//! them elsewhere.

use std::sync::Arc;

use sim::Cause;

/// Whose time it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// The measured board's.
    Board,
    /// That of the board in the PC's place.
    Peer,
    /// The network's between the two ends.
    Wire,
    /// The PC's.
    Pc,
    /// A modelled link's, whose parts say more.
    Link,
}

impl Site {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Board, Self::Peer, Self::Wire, Self::Pc, Self::Link];

    /// Its code in tables and JSON.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::Peer => "peer",
            Self::Wire => "wire",
            Self::Pc => "pc",
            Self::Link => "link",
        }
    }
}

/// What is under way while a sender waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnderWay {
    /// Frames, on the wire at either end.
    Frames,
    /// What crosses the air between access point and station.
    Wifi,
    /// What a delay of the cable holds.
    Delay,
    /// What the switch holds.
    Switch,
    /// Nothing.
    Nothing,
}

impl UnderWay {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Frames, Self::Wifi, Self::Delay, Self::Switch, Self::Nothing];

    /// Its code in tables.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Frames => "frames",
            Self::Wifi => "wifi",
            Self::Delay => "delay",
            Self::Switch => "switch",
            Self::Nothing => "nothing",
        }
    }
}

/// What a time is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// Bytes over SPI that say where the data behind them goes.
    Headers,
    /// Bytes of messages over SPI.
    Payload,
    /// Pointers into the chip's memory, and sizes.
    Pointers,
    /// Commands to the chip.
    Commands,
    /// The chip's status and its interrupts.
    Status,
    /// Registers of other sorts.
    OtherRegisters,
    /// Between bytes SCK stands still.
    SpiPause,
    /// A register that is looked at, by its chip's name for it.
    Register(&'static str),
    /// The chip's memory, which is looked at.
    Memory,
    /// Addresses of the chip at which nothing is, which are looked at.
    Reserved,
    /// A register that a timer's interrupt looks at next, by its chip's name for it.
    TimedLook(&'static str),
    /// A command of the chip, by its name.
    Command(&'static str),
    /// A function of the firmware.
    Function(Arc<str>),
    /// A timer that serves nothing that was seen.
    Timer,
    /// The clock, which the processor looks at until it is time; in this function, where it has a name.
    Clock(Option<Arc<str>>),
    /// The pin on which the chip calls.
    Pin,
    /// An interrupt, by the processor's name where it has one.
    Interrupt(Option<&'static str>),
    /// An event of the processor's.
    Event,
    /// An answer that is held back; until this end sends the same again, where that comes first.
    HeldAnswer(Option<Site>),
    /// Frames to this end.
    Frames(Site),
    /// Packets of USB with pieces of frames to this end.
    UsbPackets(Site),
    /// Characters on a serial line to this end.
    Characters(Site),
    /// A window that is full, while this is under way.
    Window(UnderWay),
    /// An acknowledgement that is awaited, while this is under way.
    Acknowledgement(UnderWay),
    /// From the command to send until the frame is on the wire.
    Sending,
    /// From the wire until the frame is in the chip's memory.
    Receiving,
    /// This end's acknowledgement, which it delays.
    DelayedAcknowledgement(Site),
    /// What this end sends again.
    Retransmission(Site),
    /// A part of a modelled link, by the name that the link declares.
    Part(Arc<str>),
}

impl Subject {
    /// The codes of all of them.
    pub const CODES: [&'static str; 29] = [
        "headers",
        "payload",
        "pointers",
        "commands",
        "status",
        "other_registers",
        "spi_pause",
        "register",
        "memory",
        "reserved",
        "timed_look",
        "command",
        "function",
        "timer",
        "clock",
        "pin",
        "interrupt",
        "event",
        "held_answer",
        "frames",
        "usb_packets",
        "characters",
        "window",
        "acknowledgement",
        "sending",
        "receiving",
        "delayed_acknowledgement",
        "retransmission",
        "part",
    ];

    /// Its code in tables and JSON.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Headers => "headers",
            Self::Payload => "payload",
            Self::Pointers => "pointers",
            Self::Commands => "commands",
            Self::Status => "status",
            Self::OtherRegisters => "other_registers",
            Self::SpiPause => "spi_pause",
            Self::Register(_) => "register",
            Self::Memory => "memory",
            Self::Reserved => "reserved",
            Self::TimedLook(_) => "timed_look",
            Self::Command(_) => "command",
            Self::Function(_) => "function",
            Self::Timer => "timer",
            Self::Clock(_) => "clock",
            Self::Pin => "pin",
            Self::Interrupt(_) => "interrupt",
            Self::Event => "event",
            Self::HeldAnswer(_) => "held_answer",
            Self::Frames(_) => "frames",
            Self::UsbPackets(_) => "usb_packets",
            Self::Characters(_) => "characters",
            Self::Window(_) => "window",
            Self::Acknowledgement(_) => "acknowledgement",
            Self::Sending => "sending",
            Self::Receiving => "receiving",
            Self::DelayedAcknowledgement(_) => "delayed_acknowledgement",
            Self::Retransmission(_) => "retransmission",
            Self::Part(_) => "part",
        }
    }

    /// Which one of its sort, where there are several: a name, or the code of an end or of what is under way.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Register(name) | Self::TimedLook(name) | Self::Command(name) => Some(name),
            Self::Function(name) | Self::Part(name) => Some(name),
            Self::Clock(name) => name.as_deref(),
            Self::Interrupt(name) => *name,
            Self::HeldAnswer(until) => until.map(Site::code),
            Self::Frames(end)
            | Self::UsbPackets(end)
            | Self::Characters(end)
            | Self::DelayedAcknowledgement(end)
            | Self::Retransmission(end) => Some(end.code()),
            Self::Window(under_way) | Self::Acknowledgement(under_way) => Some(under_way.code()),
            _ => None,
        }
    }

    /// The same where each end is another one.
    fn with_ends(self, other: impl Fn(Site) -> Site) -> Self {
        match self {
            Self::HeldAnswer(until) => Self::HeldAnswer(until.map(other)),
            Self::Frames(end) => Self::Frames(other(end)),
            Self::UsbPackets(end) => Self::UsbPackets(other(end)),
            Self::Characters(end) => Self::Characters(other(end)),
            Self::DelayedAcknowledgement(end) => Self::DelayedAcknowledgement(other(end)),
            Self::Retransmission(end) => Self::Retransmission(other(end)),
            others => others,
        }
    }
}

/// What a time can go to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stage {
    /// What it is spent on.
    pub cause: Cause,
    /// Whose time it is.
    pub site: Site,
    /// What it is about, where the cause does not say that.
    pub subject: Option<Subject>,
}

impl Stage {
    /// A stage.
    pub const fn new(cause: Cause, site: Site, subject: Option<Subject>) -> Self {
        Self { cause, site, subject }
    }

    /// A stage of the measured board.
    pub const fn of_board(cause: Cause, subject: Option<Subject>) -> Self {
        Self::new(cause, Site::Board, subject)
    }

    /// A part of a link.
    pub fn of_link(cause: Cause, name: impl Into<Arc<str>>) -> Self {
        Self::new(cause, Site::Link, Some(Subject::Part(name.into())))
    }

    /// The code of its subject.
    pub fn subject_code(&self) -> Option<&'static str> {
        self.subject.as_ref().map(Subject::code)
    }

    /// What of its subject it is about.
    pub fn detail(&self) -> Option<&str> {
        self.subject.as_ref().and_then(Subject::detail)
    }

    /// The same with a board in the PC's place. While that has the message, the time is the board's that waits.
    pub fn with_peer(self) -> Self {
        let site = if self.site == Site::Pc { Site::Board } else { self.site };
        let end = |end| if end == Site::Pc { Site::Peer } else { end };
        Self { site, subject: self.subject.map(|subject| subject.with_ends(end)), ..self }
    }

    /// The same of the peer, whose other end is the board.
    pub fn of_peer(self) -> Self {
        let end = |end| match end {
            Site::Board => Site::Peer,
            Site::Pc => Site::Board,
            other => other,
        };
        Self { site: Site::Peer, subject: self.subject.map(|subject| subject.with_ends(end)), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subject_has_its_code_among_all_of_them() {
        let end = Site::Pc;
        let all = [
            Subject::Headers,
            Subject::Payload,
            Subject::Pointers,
            Subject::Commands,
            Subject::Status,
            Subject::OtherRegisters,
            Subject::SpiPause,
            Subject::Register("IR"),
            Subject::Memory,
            Subject::Reserved,
            Subject::TimedLook("Sn_RX_RSR"),
            Subject::Command("SEND"),
            Subject::Function("main".into()),
            Subject::Timer,
            Subject::Clock(None),
            Subject::Pin,
            Subject::Interrupt(None),
            Subject::Event,
            Subject::HeldAnswer(None),
            Subject::Frames(end),
            Subject::UsbPackets(end),
            Subject::Characters(end),
            Subject::Window(UnderWay::Nothing),
            Subject::Acknowledgement(UnderWay::Nothing),
            Subject::Sending,
            Subject::Receiving,
            Subject::DelayedAcknowledgement(end),
            Subject::Retransmission(end),
            Subject::Part("part".into()),
        ];
        assert_eq!(all.map(|subject| subject.code()), Subject::CODES);
    }

    #[test]
    fn the_peer_and_the_board_change_places() {
        let silence = |end| Stage::of_board(Cause::Protocol, Some(Subject::Retransmission(end)));
        assert_eq!(silence(Site::Pc).with_peer(), silence(Site::Peer));
        assert_eq!(silence(Site::Board).with_peer(), silence(Site::Board));
        let of_peer = |end| Stage::new(Cause::Protocol, Site::Peer, Some(Subject::Retransmission(end)));
        assert_eq!(silence(Site::Pc).of_peer(), of_peer(Site::Board));
        assert_eq!(silence(Site::Board).of_peer(), of_peer(Site::Peer));
        let thinks = Stage::new(Cause::Pc, Site::Pc, None);
        assert_eq!((thinks.clone().with_peer().site, thinks.of_peer().site), (Site::Board, Site::Peer));
    }
}

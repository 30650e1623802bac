//! The PHY: which modes it is set to, and the link that comes of it and the cable after the time of auto-negotiation. What
//! passes on the line (pulses, scrambling, MDI crossing) is left out.

use units::Picoseconds;

use crate::{Duplex, LinkPartner, Speed};

/// What the PHY is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Mode {
    /// Auto-negotiation with everything on offer.
    Automatic,
    /// Auto-negotiation that offers 100 Mbit/s in half duplex only.
    AutomaticHalf,
    /// One speed and duplex, without negotiation.
    Fixed(Speed, Duplex),
    /// Off.
    PowerDown,
}

/// The PHY.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Phy {
    mode: Mode,
    cable: Option<LinkPartner>,
    held_in_reset: bool,
    link: Option<LinkPartner>,
    link_at: Option<Picoseconds>,
    link_up_time: Picoseconds,
    /// What it did before `since`; from then on it does one thing.
    did: PhyTimes,
    since: Picoseconds,
}

/// How long a PHY was in each of the states that its supply feels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct PhyTimes {
    /// It is set to power down.
    pub(crate) power_down: Picoseconds,
    /// It has no link: it seeks one, or is held in reset.
    pub(crate) no_link: Picoseconds,
    /// It has a link with 10 Mbit/s.
    pub(crate) link_10: Picoseconds,
    /// It has a link with 100 Mbit/s.
    pub(crate) link_100: Picoseconds,
}

impl Phy {
    /// A PHY without a cable.
    pub(crate) fn new(link_up_time: Picoseconds) -> Self {
        Self {
            mode: Mode::Automatic,
            cable: None,
            held_in_reset: false,
            link: None,
            link_at: None,
            link_up_time,
            did: PhyTimes::default(),
            since: Picoseconds::ZERO,
        }
    }

    /// What it did up to a time.
    pub(crate) fn times(&self, now: Picoseconds) -> PhyTimes {
        let mut times = self.did;
        let time = match (self.mode, self.link.map(|link| link.speed)) {
            (Mode::PowerDown, _) => &mut times.power_down,
            (_, None) => &mut times.no_link,
            (_, Some(Speed::Mbps10)) => &mut times.link_10,
            (_, Some(Speed::Mbps100)) => &mut times.link_100,
        };
        *time = *time + (now - self.since).max(Picoseconds::ZERO);
        times
    }

    /// Told before it does something else.
    fn note(&mut self, now: Picoseconds) {
        self.did = self.times(now);
        self.since = now;
    }

    pub(crate) fn link(&self) -> Option<LinkPartner> {
        self.link
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    pub(crate) fn cable(&self) -> Option<LinkPartner> {
        self.cable
    }

    pub(crate) fn set_cable(&mut self, now: Picoseconds, cable: Option<LinkPartner>) {
        self.cable = cable;
        self.restart(now);
    }

    pub(crate) fn hold_in_reset(&mut self, now: Picoseconds, held: bool) {
        self.held_in_reset = held;
        self.restart(now);
    }

    /// PHYCFGR is as after power-up: not in reset. A link that stands stays.
    pub(crate) fn release(&mut self, now: Picoseconds) {
        if self.held_in_reset {
            self.hold_in_reset(now, false);
        }
    }

    pub(crate) fn set_mode(&mut self, now: Picoseconds, mode: Mode) {
        self.note(now);
        self.mode = mode;
        self.restart(now);
    }

    /// The link is lost and sought anew.
    pub(crate) fn restart(&mut self, now: Picoseconds) {
        self.note(now);
        self.link = None;
        self.link_at = self.outcome().map(|_| now + self.link_up_time);
        self.advance(now);
    }

    pub(crate) fn next_event(&self) -> Option<Picoseconds> {
        self.link_at
    }

    pub(crate) fn advance(&mut self, now: Picoseconds) {
        if let Some(at) = self.link_at.filter(|at| *at <= now) {
            self.note(at);
            self.link_at = None;
            self.link = self.outcome();
        }
    }

    /// A partner that can do 100 Mbit/s can do 10 as well.
    fn outcome(&self) -> Option<LinkPartner> {
        let partner = self.cable?;
        if self.held_in_reset {
            return None;
        }
        match self.mode {
            Mode::PowerDown => None,
            Mode::Automatic => Some(partner),
            Mode::AutomaticHalf => self.fixed(partner, Speed::Mbps100, Duplex::Half),
            Mode::Fixed(speed, duplex) => self.fixed(partner, speed, duplex),
        }
    }

    fn fixed(&self, partner: LinkPartner, speed: Speed, duplex: Duplex) -> Option<LinkPartner> {
        let possible = speed == Speed::Mbps10 || partner.speed == Speed::Mbps100;
        possible.then_some(LinkPartner { speed, duplex })
    }
}

//! What is counted on a wire and in the switch. Nothing that is dropped goes uncounted: of every direction of a cable,
//! offered + duplicated = delivered + dropped + still on its way.

/// Why a frame came to no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// It was sent while no cable was plugged in.
    NoCarrier,
    /// The cable was pulled while it was on it, or waiting for it.
    CablePulled,
    /// The queue in front of the wire was full.
    QueueFull,
    /// It is shorter than an Ethernet header.
    Runt,
    /// It is longer than its sender or the switch takes.
    Giant,
    /// Its check sequence is wrong.
    CheckSequence,
    /// Lost by the impairment `loss`.
    Loss,
    /// Lost in a burst: the impairment `burst_start`.
    BurstLoss,
    /// Lost by the impairment `drop`.
    Scripted,
    /// No room in the impairment's queue: `limit`.
    ImpairmentLimit,
    /// Lost by the hop on the cable.
    Hop,
    /// No room in front of the hop on the cable.
    HopQueue,
    /// Nobody took it from its outer port.
    NotTaken,
}

impl DropReason {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::NoCarrier,
        Self::CablePulled,
        Self::QueueFull,
        Self::Runt,
        Self::Giant,
        Self::CheckSequence,
        Self::Loss,
        Self::BurstLoss,
        Self::Scripted,
        Self::ImpairmentLimit,
        Self::Hop,
        Self::HopQueue,
        Self::NotTaken,
    ];

    /// As one word, for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoCarrier => "no_carrier",
            Self::CablePulled => "cable_pulled",
            Self::QueueFull => "queue_full",
            Self::Runt => "runt",
            Self::Giant => "giant",
            Self::CheckSequence => "check_sequence",
            Self::Loss => "loss",
            Self::BurstLoss => "burst_loss",
            Self::Scripted => "drop",
            Self::ImpairmentLimit => "limit",
            Self::Hop => "hop",
            Self::HopQueue => "hop_queue",
            Self::NotTaken => "not_taken",
        }
    }

    /// In words, as in the comments of a capture.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NoCarrier => "lost: no cable is plugged in",
            Self::CablePulled => "lost: the cable was pulled",
            Self::QueueFull => "dropped: the queue of the wire is full",
            Self::Runt => "dropped: shorter than an Ethernet header",
            Self::Giant => "dropped: too long",
            Self::CheckSequence => "dropped: wrong check sequence",
            Self::Loss => "lost by impairment (loss)",
            Self::BurstLoss => "lost by impairment (burst)",
            Self::Scripted => "lost by impairment (drop)",
            Self::ImpairmentLimit => "dropped by impairment (limit)",
            Self::Hop => "lost by the hop",
            Self::HopQueue => "dropped: the queue of the hop is full",
            Self::NotTaken => "dropped: nobody took it",
        }
    }
}

/// One direction of a cable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaneCounters {
    /// Frames that were given to it.
    pub offered_frames: u64,
    /// Their bytes, as they were given.
    pub offered_bytes: u64,
    /// Frames that arrived at its other end.
    pub delivered_frames: u64,
    /// Their bytes, padded to the shortest frame where they were shorter.
    pub delivered_bytes: u64,
    /// Copies that the impairment `duplicate` made.
    pub duplicated_frames: u64,
    dropped: [u64; DropReason::ALL.len()],
}

impl LaneCounters {
    /// Frames that were dropped for a reason.
    pub fn dropped(&self, reason: DropReason) -> u64 {
        self.dropped[reason as usize]
    }

    /// Frames that were dropped.
    pub fn dropped_frames(&self) -> u64 {
        self.dropped.iter().sum()
    }

    pub(crate) fn offer(&mut self, bytes: usize) {
        self.offered_frames += 1;
        self.offered_bytes += bytes as u64;
    }

    pub(crate) fn deliver(&mut self, bytes: usize) {
        self.delivered_frames += 1;
        self.delivered_bytes += bytes as u64;
    }

    pub(crate) fn drop(&mut self, reason: DropReason) {
        self.dropped[reason as usize] += 1;
    }
}

/// Both directions of the cable of a port or a station.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PortCounters {
    /// What the port or station sent.
    pub sent: LaneCounters,
    /// What it was sent.
    pub received: LaneCounters,
}

/// The switch. `received_frames` = `forwarded_frames` + `flooded_frames` + the three that went no further.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SwitchCounters {
    /// Intact frames that reached it.
    pub received_frames: u64,
    /// Of these, sent on to the one port that it had learned.
    pub forwarded_frames: u64,
    /// Of these, sent on to every other port.
    pub flooded_frames: u64,
    /// The copies that flooding offered to the wires.
    pub flooded_copies: u64,
    /// Addressed to the port that they came from.
    pub filtered_frames: u64,
    /// Addressed to a group that a bridge keeps to itself (IEEE 802.1D, 01-80-C2-00-00-00 to -0F), such as PAUSE.
    pub reserved_frames: u64,
    /// Longer than the switch takes.
    pub giant_frames: u64,
    /// Addresses that were not learned because the table was full.
    pub unlearned_addresses: u64,
}

//! Boards that run for a row, and that are run once more to be looked at.

use std::collections::BTreeMap;

use board::{BoardError, BoardRun, Ended};
use lan::{Awaited, TrafficResults};
use mcu::Stop;
use record::{Control, Samples};
use stats::detect::Settings as DetectorSettings;
use units::Picoseconds;

use super::facts::{BoardFacts, EnergyEntry, FirmwareEntry, PeerEntry};
use super::observation::{RowBudget, budget_of, spans_table};
use super::prepare::ReadyBoards;
use super::rig::Rig;
use crate::rows::Measure;
use crate::suite::Row;
use crate::target::{Observations, Recipe, Target, TargetEntry, TargetError, Turn};
use crate::targets::Facts;

/// So many steps of progress are told of each row.
const STEPS: u64 = 1000;

impl From<BoardError> for TargetError {
    fn from(error: BoardError) -> Self {
        Self(error.to_string())
    }
}

/// The boards of a row at some time.
struct BoardTarget {
    name: String,
    ready: ReadyBoards,
    seed: u64,
    rig: Rig,
    ended: Ended,
    /// What was asked for last.
    samples: Samples,
    /// Of each board, once the run has ended.
    reports: Vec<BoardRun>,
    budget: Option<RowBudget>,
}

impl Recipe for ReadyBoards {
    fn target(&self, row: &Row, measure: Measure) -> Result<Box<dyn Target>, TargetError> {
        let rig = Rig::of(self, measure.seed)?;
        Ok(Box::new(BoardTarget {
            name: row.name.clone(),
            ready: self.clone(),
            seed: measure.seed,
            rig,
            ended: Ended::Chip(Stop::Time),
            samples: Samples::default(),
            reports: Vec::new(),
            budget: None,
        }))
    }

    fn steps(&self, _: &Row) -> u64 {
        STEPS
    }
}

impl Target for BoardTarget {
    fn now(&self) -> Picoseconds {
        self.rig.now()
    }

    fn run(&mut self, until: Picoseconds, control: &Control) -> Result<Turn, TargetError> {
        self.ended = self.rig.run(until, control)?;
        Ok(match self.ended {
            Ended::Interrupted => Turn::Stopped,
            Ended::Chip(Stop::Time) if until < self.ready.measurement.limit && self.rig.is_done() => {
                self.ended = Ended::Clients;
                Turn::Over
            }
            Ended::Chip(Stop::Time) => Turn::Reached,
            _ => Turn::Over,
        })
    }

    fn samples(&mut self) -> &Samples {
        self.samples = self.rig.samples(&self.ready);
        &self.samples
    }

    fn take_samples(&mut self) -> Samples {
        self.rig.samples(&self.ready)
    }

    fn steps_done(&mut self) -> u64 {
        let (now, limit) = (self.rig.now().ps(), self.ready.measurement.limit.ps());
        (i128::from(STEPS) * i128::from(now) / i128::from(limit)) as u64
    }

    fn detectors(&mut self) -> DetectorSettings {
        // Everything that a board does takes whole cycles.
        DetectorSettings::of_clock(self.report().clk_sys_hz)
    }

    fn observe(&mut self, samples: &Samples, control: &Control) -> Result<Option<Observations>, TargetError> {
        let busy_share = counts(self.report()).get("busy_share_core0").copied();
        let budget = budget_of(&self.ready, samples, busy_share, self.seed, control)?;
        let observations = budget.as_ref().map(|budget| Observations {
            spans: (!budget.spans.is_empty()).then(|| spans_table(&self.name, &budget.spans)),
            frames: budget.pcapng.clone(),
        });
        self.budget = budget;
        Ok(observations)
    }

    fn entry(&mut self) -> TargetEntry {
        let traffic = self.rig.traffic(&self.ready);
        let end = self.rig.now();
        self.report();
        let failed = WHOSE.iter().zip(&self.reports).find(|(_, report)| report.failed);
        let ended = &self.reports[0].sentence;
        let why_none = match &traffic {
            None => format!("no client or server of the PC has messages of this board ({ended})"),
            Some(one) => {
                let why = one.results.why_none();
                let began = match one.waits_for {
                    None => why.as_str(),
                    Some(Awaited::Start(_)) => "its time had not come",
                    Some(Awaited::Link) => "it waited for the board's link",
                    Some(Awaited::PcAddress) => "it waited for the PC to join the board's own network",
                    Some(Awaited::Ipv6Address) => {
                        "it waited for the board's IPv6 address: the board has said nothing over IPv6"
                    }
                    Some(Awaited::Address | Awaited::Settling) => {
                        "it waited for the board's address: the board has said nothing from one"
                    }
                };
                format!("{} measured no message: {began} ({ended})", one.name)
            }
        };
        TargetEntry {
            kind: "board",
            traffic: traffic.as_ref().map_or_else(String::new, |one| one.kind.clone()),
            payload_bytes: None,
            end,
            failure: failed.map(|(who, failed)| format!("{who} failed: {}", failed.sentence)),
            why_none,
            facts: Facts::Board(Box::new(self.facts(traffic))),
        }
    }
}

/// Whose each report is, in a sentence.
const WHOSE: [&str; 2] = ["the firmware", "the peer's firmware"];

impl BoardTarget {
    /// What is to be said of the measured board, whose run has ended.
    fn report(&mut self) -> &BoardRun {
        if self.reports.is_empty() {
            self.reports = self.rig.outcomes(self.ended);
        }
        &self.reports[0]
    }

    fn facts(&self, traffic: Option<TrafficResults>) -> BoardFacts {
        let Self { ready, reports, budget, .. } = self;
        let peers_notes = reports.iter().skip(1).flat_map(|peer| &peer.notes);
        let peers_notes = peers_notes.map(|note| format!("the peer: {note}"));
        let peer = ready.peer.as_ref().zip(reports.get(1)).map(|(ready, report)| PeerEntry {
            board: ready.board.name.clone(),
            firmware: FirmwareEntry::of(ready),
            settings: ready.settings.clone(),
            ended: report.sentence.clone(),
            counts: counts(report),
            evidence: budget.as_ref().and_then(|budget| budget.peer_evidence.clone()),
        });
        BoardFacts {
            board: ready.dut.board.name.clone(),
            firmware: FirmwareEntry::of(&ready.dut),
            peer,
            payload_bytes: ready.trigger.as_ref().and_then(|trigger| trigger.payload_bytes),
            settings: ready.dut.settings.clone(),
            network: ready.setup.network.text().to_owned(),
            lines: ready.setup.lines.iter().map(ToString::to_string).collect(),
            trigger: ready.setup.trigger.as_ref().map(ToString::to_string),
            clients: ready.setup.traffic.iter().map(ToString::to_string).collect(),
            ended: reports[0].sentence.clone(),
            counts: counts(&reports[0])
                .into_iter()
                .chain(traffic.as_ref().and_then(error_statuses))
                .collect(),
            of: traffic.map(|one| one.name),
            evidence: budget.as_ref().map(|budget| budget.evidence.clone()),
            bulk: budget.as_ref().and_then(|budget| budget.bulk.clone()),
            energy: budget
                .as_ref()
                .and_then(|budget| budget.energy.as_ref())
                .map(|metered| EnergyEntry::of(metered, ready.measurement.quantity)),
            notes: reports[0].notes.iter().cloned().chain(peers_notes).collect(),
        }
    }
}

/// How many answers have the status of an error, where any has.
fn error_statuses(traffic: &TrafficResults) -> Option<(&'static str, f64)> {
    let counter = traffic.results.counters.iter().find(|counter| counter.name == "error_statuses")?;
    (counter.value > 0).then_some((counter.name, counter.value as f64))
}

/// Figures of a board that a row keeps.
fn counts(report: &BoardRun) -> BTreeMap<&'static str, f64> {
    let bus = |name: &str| report.bus.get(name).copied().unwrap_or_default() as f64;
    let accesses = bus("xip_accesses");
    let shares = BUSY_SHARES.into_iter().zip(report.cores.iter().map(|core| core.busy_share));
    let mut counts = BTreeMap::from([
        ("clk_sys_hz", report.clk_sys_hz as f64),
        ("spi_frames", bus("spi0_frames") + bus("spi1_frames")),
        ("console_bytes", report.console_bytes.values().sum::<u64>() as f64),
        ("xip_miss_share", if accesses > 0.0 { bus("xip_misses") / accesses } else { 0.0 }),
    ]);
    if let Some(radio) = &report.radio {
        const SECONDS: [(&str, &str); 6] = [
            ("off", "radio_off_s"),
            ("boot", "radio_boot_s"),
            ("awake", "radio_awake_s"),
            ("doze", "radio_doze_s"),
            ("transmit", "radio_transmit_s"),
            ("receive", "radio_receive_s"),
        ];
        let seconds = |state: &str| radio.times_ps.get(state).map_or(0.0, |ps| *ps as f64 / 1e12);
        counts.extend(SECONDS.map(|(state, name)| (name, seconds(state))));
        counts.extend(radio.mean_ma.map(|mean| ("radio_mean_ma", mean)));
    }
    counts.extend(shares);
    counts
}

/// Of each core that a microcontroller may have.
const BUSY_SHARES: [&str; 2] = ["busy_share_core0", "busy_share_core1"];

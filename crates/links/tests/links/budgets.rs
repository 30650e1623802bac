//! Closed form against simulation, for every link: with the phases of all clocks unknown and the link idle, the
//! budget's total is the mean latency and its loss is the share of messages that never arrive.

use links::stage::{Acknowledgement, CsmaCa, CsmaTiming, Dcf, Detection, Exposed, PhyRate};
use links::{Definition, Program, Schedule, Settings, Simulation, Steps, Takes, all, find};
use units::Picoseconds;

/// Each has clock phases of its own.
const RUNS: u64 = 40;
/// A multiple of every cycle that a UART's ring of up to 256 bytes goes through.
const MESSAGES_A_RUN: u64 = 256;
const PAYLOADS_BYTES: [u32; 3] = [12, 128, 1024];
/// In standard errors: with so many runs a right budget is this far off once in 90 000 cases.
const ERRORS_ALLOWED: f64 = 5.0;
/// Room for budgets that take their mean over a grid, as a share of the latency.
const GRID: f64 = 0.001;
/// For settings that take a probability or a rate: so far up their range.
const SHARES_OF_RANGE: [f64; 3] = [0.01, 0.3, 0.8];

/// A mean over independent runs, and its standard error.
struct Estimate {
    mean: f64,
    standard_error: f64,
}

impl Estimate {
    fn of(runs: &[f64]) -> Self {
        let count = runs.len() as f64;
        let mean = runs.iter().sum::<f64>() / count;
        let variance = runs.iter().map(|run| (run - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Self { mean, standard_error: (variance / count).sqrt() }
    }
}

fn budget_us(program: &Program, payload_bytes: u32) -> f64 {
    program.budget(payload_bytes).iter().map(|line| line.mean.ps() as f64 / 1e6).sum()
}

/// Triggers so far apart that the link is idle, and spread over many periods of every gate.
fn idle_and_dithered(program: &mut Program, budget_us: f64) -> Schedule {
    let longest_gate_ps = program.gates().iter().map(|gate| gate.period().ps()).max().unwrap_or(0);
    let period = Picoseconds::new((budget_us * 20.0e6) as i64 + 10_000_000_000);
    Schedule::Dithered { period, by: Picoseconds::new(64 * longest_gate_ps + 1_000_000_007) }
}

/// Mean latency of what arrives, in microseconds, and share of what does not.
fn simulated(assemble: &dyn Fn() -> Program, payload_bytes: u32) -> (Estimate, Estimate) {
    let (mut means_us, mut lost) = (Vec::new(), Vec::new());
    let expected_us = budget_us(&assemble(), payload_bytes);
    for seed in 0..RUNS {
        let mut program = assemble();
        let schedule = idle_and_dithered(&mut program, expected_us);
        let run = Simulation::new(program, payload_bytes, &schedule, MESSAGES_A_RUN, seed, "budget", 0).run();
        let latencies_us: Vec<f64> =
            run.iter().filter_map(|sample| Some((sample.done? - sample.trigger).ps() as f64 / 1e6)).collect();
        lost.push(1.0 - latencies_us.len() as f64 / run.len() as f64);
        if !latencies_us.is_empty() {
            means_us.push(latencies_us.iter().sum::<f64>() / latencies_us.len() as f64);
        }
    }
    (Estimate::of(&means_us), Estimate::of(&lost))
}

/// What is wrong with a budget, if anything.
fn disagreement(assemble: &dyn Fn() -> Program, payload_bytes: u32) -> Option<String> {
    let program = assemble();
    let (expected_us, expected_loss) = (budget_us(&program, payload_bytes), program.loss(payload_bytes));
    let (latency_us, lost) = simulated(assemble, payload_bytes);
    // Where nothing or everything is lost, the runs say nothing of how much else could have been.
    let binomial_error = (expected_loss * (1.0 - expected_loss) / (RUNS * MESSAGES_A_RUN) as f64).sqrt();
    let loss_allowed = ERRORS_ALLOWED * lost.standard_error.max(binomial_error) + f64::EPSILON;
    if (expected_loss - lost.mean).abs() > loss_allowed {
        return Some(format!("loss {expected_loss:.5} in the budget, {:.5} in the simulation", lost.mean));
    }
    // Too few arrive to speak of their mean.
    if expected_loss > 0.9 {
        return None;
    }
    let off_us = expected_us - latency_us.mean;
    (off_us.abs() > ERRORS_ALLOWED * latency_us.standard_error + GRID * latency_us.mean).then(|| {
        format!(
            "{expected_us:.3} us in the budget, {:.3} us with a standard error of {:.3} us in the simulation: {:+.2} %",
            latency_us.mean,
            latency_us.standard_error,
            off_us / latency_us.mean * 100.0
        )
    })
}

/// A link set in some way.
struct Variant {
    link: &'static Definition,
    changes: Vec<(&'static str, String)>,
    settings: Settings,
}

impl Variant {
    /// Nothing where the link refuses it.
    fn new(link: &'static Definition, changes: Vec<(&'static str, String)>) -> Option<Self> {
        let texts = changes.iter().map(|(name, value)| (*name, value.as_str()));
        let settings = link.settings_with(texts).ok()?;
        link.program(&settings).ok()?;
        Some(Self { link, changes, settings })
    }

    fn disagreements(&self) -> Vec<String> {
        let assemble = || self.link.program(&self.settings).expect("it was put together before");
        let mut payloads_bytes = PAYLOADS_BYTES.map(|bytes| bytes.min(self.link.max_payload_bytes)).to_vec();
        payloads_bytes.dedup();
        let wrong = |bytes: &u32| {
            let how = disagreement(&assemble, *bytes)?;
            Some(format!("{} {:?}, {bytes} B: {how}", self.link.name, self.changes))
        };
        payloads_bytes.iter().filter_map(wrong).collect()
    }
}

fn alternatives(link: &Definition) -> Vec<(&'static str, String)> {
    let of = |setting: &links::Field| {
        let name = setting.name;
        setting.alternatives.iter().map(move |value| (name, (*value).to_owned())).collect::<Vec<_>>()
    };
    link.settings.iter().flat_map(of).collect()
}

/// Values that nobody chooses but that a site or a board may have: words, switches, probabilities and rates.
fn circumstances(link: &Definition) -> Vec<(&'static str, String)> {
    let given = link.settings.iter().filter(|setting| setting.alternatives.is_empty());
    let values = |setting: &links::Field| {
        let texts: Vec<String> = match setting.takes {
            Takes::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            Takes::Switch => vec!["on".to_owned(), "off".to_owned()],
            Takes::Number { highest, .. } => {
                SHARES_OF_RANGE.map(|share| (share * highest).to_string()).to_vec()
            }
            _ => Vec::new(),
        };
        let name = setting.name;
        texts.into_iter().map(move |text| (name, text)).collect::<Vec<_>>()
    };
    given.flat_map(values).collect()
}

/// The change alone or, where the link demands another with it, with the first that it takes.
fn with_what_it_demands(link: &'static Definition, change: &(&'static str, String)) -> Option<Variant> {
    let alone = Variant::new(link, vec![change.clone()]);
    alone.or_else(|| {
        let others = alternatives(link).into_iter().filter(|other| other.0 != change.0);
        others.map(|other| vec![change.clone(), other]).find_map(|changes| Variant::new(link, changes))
    })
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} budgets are off:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_budget_of_every_link_is_the_mean_of_its_simulation_whatever_is_worth_trying() {
    let mut wrong = Vec::new();
    for link in all() {
        wrong.extend(Variant::new(link, Vec::new()).expect("defaults go together").disagreements());
        for change in alternatives(link) {
            let named = format!("{} {change:?}", link.name);
            let variant = with_what_it_demands(link, &change);
            let variant = variant.unwrap_or_else(|| panic!("{named} is worth trying, but refused"));
            if variant.settings != link.defaults() {
                wrong.extend(variant.disagreements());
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn it_is_the_mean_under_all_circumstances_of_the_site_as_well() {
    let mut wrong = Vec::new();
    for link in all() {
        let variants = circumstances(link).into_iter().filter_map(|change| Variant::new(link, vec![change]));
        // A budget is that of an idle link, and a duty cycle keeps it busy for longer than these triggers are apart:
        // tests/lora.rs has it.
        let is_idle = |variant: &Variant| !variant.changes.iter().any(|(name, _)| *name == "duty_cycle");
        for variant in variants.filter(|variant| variant.settings != link.defaults()).filter(is_idle) {
            wrong.extend(variant.disagreements());
        }
    }
    assert_none(&wrong);
}

#[test]
fn losses_and_retries_together_keep_to_the_budget() {
    let wrong: Vec<String> = [
        vec![("channel_busy", "0.8"), ("frame_loss", "0.3"), ("frame_retries", "7")],
        vec![("channel_busy", "0.6"), ("max_backoffs", "0"), ("frame_retries", "1")],
        vec![("channel_busy", "0.9"), ("min_be", "0"), ("ack", "off")],
    ]
    .into_iter()
    .flat_map(|set| {
        let changes = set.into_iter().map(|(name, value)| (name, value.to_owned())).collect();
        Variant::new(find("ieee802154").unwrap(), changes).expect("these go together").disagreements()
    })
    .collect();
    assert_none(&wrong);
}

#[test]
fn every_stage_that_loses_frames_knows_what_a_lost_one_costs_before_it_is_tried_again() {
    let us = |us: i64| Picoseconds::from_ns(us * 1_000);
    let channel = CsmaTiming {
        min_exponent: 3,
        max_exponent: 5,
        max_backoffs: 2,
        unit: us(320),
        assessment: us(128),
        turnaround: us(192),
        busy: 0.7,
    };
    let hop = || Dcf::new(PhyRate::named("6M"), 0.9, |load| load.frame_bytes + 60);
    let retried = |steps: Steps| Program::from(Steps::new().attempts(3, steps, Steps::new()));
    let assemblies: [(&str, &dyn Fn() -> Program); 4] = [
        ("CSMA/CA", &|| retried(Steps::new().stage(CsmaCa::new(channel)))),
        ("Wi-Fi hops", &|| retried(Steps::new().stage(hop()).stage(hop()))),
        ("interference", &|| retried(Steps::new().stage(Exposed::new("air", move |_| us(500), 1_000.0)))),
        ("ShockBurst", &|| {
            let detection = Detection::new(us(10), us(1));
            retried(Steps::new().stage(Acknowledgement::new(us(150), detection, us(900), [0.0, 0.4], false)))
        }),
    ];
    let wrong = assemblies
        .iter()
        .filter_map(|(name, assemble)| Some(format!("{name}: {}", disagreement(assemble, 100)?)));
    assert_none(&wrong.collect::<Vec<_>>());
}

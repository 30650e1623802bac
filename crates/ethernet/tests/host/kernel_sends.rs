//! What the PC sends to a chip, against what a real Linux kernel sent. kernel_sends/ holds a recording with the kernel's
//! release and the program that makes one; the chip's segments and the application's writes come at their recorded times.

use crate::chip_common::{ByHand, sender};
use crate::common::{options, recorded_now, us};
use ethernet::HostOptions;
use smoltcp::wire::TcpControl;

const RECORDING: &str = include_str!("kernel_sends/linux-6.18.44.txt");

/// What the kernel sent: when, from which byte, how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    at_us: i64,
    start: i64,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Scenario {
    name: String,
    window: u16,
    nodelay: bool,
    writes: Vec<(i64, usize)>,
    /// When the chip acknowledged what, with which window.
    chip: Vec<(i64, u32, u16)>,
    subject: Vec<Segment>,
}

fn parse(recording: &str) -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    for line in recording.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |n: usize| words[n].parse::<i64>().expect("a number");
        if words[0] == "scenario" {
            scenarios.push(Scenario {
                name: words[1].to_owned(),
                window: number(2) as u16,
                nodelay: words[3] == "nodelay",
                ..Scenario::default()
            });
            continue;
        }
        let Some(scenario) = scenarios.last_mut() else { continue };
        match words[0] {
            "write" => scenario.writes.push((number(1), number(2) as usize)),
            "chip" => scenario.chip.push((number(1), number(2) as u32, number(3) as u16)),
            "subject" => scenario.subject.push(Segment {
                at_us: number(1),
                start: number(2),
                bytes: number(3) as usize,
            }),
            _ => {}
        }
    }
    scenarios
}

/// What the PC sends in a scenario.
fn replay(scenario: &Scenario) -> Vec<Segment> {
    let start = us(50_000);
    let at = |at_us: i64| start + us(at_us);
    let writes = scenario.writes.iter().map(|(at_us, bytes)| (at(*at_us), vec![0; *bytes])).collect();
    let options = HostOptions { timestamps: false, ..options(false) };
    let mut chip = ByHand::open(sender(options, writes, scenario.nodelay), scenario.window);
    let mut own = Vec::new();
    let mut acknowledged_to = 0;
    let end = scenario.chip.last().map_or(0, |(at_us, ..)| *at_us);
    let steps = scenario.chip.iter().map(|(at_us, ack, window)| (*at_us, Some((*ack, *window))));
    for (at_us, says) in steps.chain([(end, None)]) {
        let until = at(at_us).max(chip.now);
        for (_, sent) in chip.hears(until - chip.now) {
            let first = i64::from(sent.start.wrapping_sub(chip.first).cast_signed());
            if !sent.payload.is_empty() || first < i64::from(acknowledged_to) {
                let at_us = (sent.at - start).ps() / units::PS_PER_US;
                own.push(Segment { at_us, start: first, bytes: sent.payload.len() });
            }
        }
        if let Some((ack, window)) = says {
            acknowledged_to = ack;
            chip.says(TcpControl::None, ack, window);
        }
    }
    own
}

/// How two senders differ.
#[derive(Debug, Default)]
struct Difference {
    /// Segments that only one of them sent, of how many.
    other: usize,
    all: usize,
    /// How much earlier or later segments with data are at most, and probes of a closed window.
    data_us: i64,
    probes_us: i64,
}

fn compare(recording: &str) -> Difference {
    let mut difference = Difference::default();
    for scenario in parse(recording) {
        let own = replay(&scenario);
        let is_same = |a: &Segment, b: &Segment| a.start == b.start && a.bytes == b.bytes;
        let missing = scenario.subject.iter().filter(|a| !own.iter().any(|b| is_same(a, b)));
        let more = own.iter().filter(|b| !scenario.subject.iter().any(|a| is_same(a, b)));
        let different = missing.clone().count().max(more.clone().count());
        let apart_us = |probes: bool| {
            let pairs = scenario.subject.iter().zip(&own).filter(|(a, b)| is_same(a, b));
            let chosen = pairs.filter(|(a, _)| (a.bytes == 0) == probes);
            chosen.map(|(a, b)| (a.at_us - b.at_us).abs()).max().unwrap_or(0)
        };
        let (data_us, probes_us) = (apart_us(false), apart_us(true));
        println!(
            "{:<45} {different} of {} others, {data_us} us, probes {probes_us} us",
            scenario.name,
            scenario.subject.len()
        );
        if different > 0 {
            println!("  kernel {:?}", missing.collect::<Vec<_>>());
            println!("  PC     {:?}", more.collect::<Vec<_>>());
        }
        difference.other += different;
        difference.all += scenario.subject.len();
        difference.data_us = difference.data_us.max(data_us);
        difference.probes_us = difference.probes_us.max(probes_us);
    }
    difference
}

/// What differs is where the kernel cuts what its application writes while it sends already, and that its timers are up to
/// an eighth late.
#[test]
fn the_recorded_kernel_and_the_pc_send_alike() {
    let found = compare(RECORDING);
    assert!(found.all > 250, "{found:?}");
    assert!(found.other * 30 <= found.all, "{found:?}");
    assert!(found.data_us < 300 && found.probes_us < 50_000, "{found:?}");
}

/// A kernel that is interrupted by its neighbours sends later than alone, hence the tolerance.
#[test]
#[ignore = "takes ten seconds of real time, and root"]
fn this_kernel_and_the_pc_send_alike() {
    let Some(recording) = recorded_now("kernel_sends/record.py") else { return };
    let found = compare(&recording);
    assert!(found.all > 250, "{found:?}");
    assert!(found.other * 8 <= found.all, "{found:?}");
}

use units::Picoseconds;

use super::timing::{Choices, Room, Timing};
use crate::{Schedule, Simulation, find};

const DEFAULTS: Choices = Choices { baud: 57_600, air_bits_per_s: 64_000, max_window_ms: 131, resend: true };

fn timing(choices: Choices) -> Timing {
    Timing::new(choices, find("sik").unwrap().params())
}

fn latencies_ms(set: &[(&str, &str)], payload_bytes: u32, samples: u64) -> Vec<f64> {
    let link = find("sik").unwrap();
    let settings = link.settings_with(set.iter().copied()).unwrap();
    let schedule = Schedule::Dithered {
        period: Picoseconds::from_ns(3_300_000_000),
        by: Picoseconds::from_ns(700_000_000),
    };
    let program = link.program(&settings).unwrap();
    let samples = Simulation::new(program, payload_bytes, &schedule, samples, 5, "test", 0).run();
    let mut latencies: Vec<f64> =
        samples.iter().map(|sample| (sample.done.unwrap() - sample.trigger).ps() as f64 / 1e9).collect();
    latencies.sort_by(f64::total_cmp);
    latencies
}

#[test]
fn the_half_round_is_the_115_65_ms_between_completions_of_real_radios() {
    let half_round = timing(DEFAULTS).half_round as f64 / 1e9;
    assert!((half_round - 115.65).abs() < 0.01, "{half_round}");
}

#[test]
fn a_statistics_packet_delays_by_the_3_2_ms_by_which_completions_alternate() {
    let delay = timing(DEFAULTS).occupied(4) as f64 / 1e9;
    assert!((delay - 3.23).abs() < 0.02, "{delay}");
}

#[test]
fn the_bytes_that_a_window_has_room_for_are_counted_in_8_bits() {
    // A window of 7140 ticks has room for 775 bytes, of which 8 bits show 7: too few for a packet. At 767 they show 255.
    let radios = timing(DEFAULTS);
    let Room::After(wait) = radios.room(radios.window) else { panic!("a packet at once") };
    assert!((wait as f64 / 1e9 - 1.11).abs() < 0.02, "{wait}");
    assert_eq!(radios.room(radios.window - wait), Room::Bytes(237));
    // Messages of 128 B that a window cut show the rest: 100 and again 100 B leave 13, two times 105 leave 4; twice 114 do
    // not fit, and the rest went with the next window (sik/packet-size-logs/128B-250ms-trigger.sal, receiver's UART).
    let after = |packets: &[i64]| {
        let spent: i64 = packets.iter().map(|bytes| radios.occupied(*bytes)).sum();
        radios.room(radios.window - wait - spent)
    };
    let leaves = |packets: &[i64], seen: i64| {
        let Room::Bytes(room) = after(packets) else { panic!("no room behind {packets:?}") };
        assert!((room - seen).abs() <= 2, "{packets:?} leave {room}, seen {seen}");
    };
    leaves(&[100, 100], 13);
    leaves(&[105, 105], 4);
    let fits_again = |bytes| matches!(after(&[bytes]), Room::Bytes(room) if room >= bytes);
    assert!(fits_again(111) && !fits_again(114));
}

#[test]
fn a_full_window_of_131_ms_is_not_exceeded_at_slow_rates() {
    let window = timing(Choices { air_bits_per_s: 4_000, ..DEFAULTS }).window as f64 / 1e9;
    // 8122 ticks of 15.632 us.
    assert!((window - 126.96).abs() < 0.05, "{window}");
}

#[test]
fn a_short_message_waits_evenly_for_the_next_window() {
    let latencies = latencies_ms(&[], 12, 20_000);
    let at = |share: f64| latencies[(share * latencies.len() as f64) as usize];
    // 12 B on the UARTs take 4.2 ms, a packet 4.5 ms; the wait is 0 to 116 ms.
    for (share, expected) in [(0.0, 8.7), (0.25, 35.0), (0.5, 64.0), (0.75, 93.0)] {
        assert!((at(share) - expected).abs() < 3.0, "{share}: {}", at(share));
    }
    assert!(latencies.last().unwrap() < &130.0);
}

#[test]
fn without_a_second_copy_split_messages_are_done_earlier() {
    let mean = |set: &[(&str, &str)]| latencies_ms(set, 300, 4_000).iter().sum::<f64>() / 4_000.0;
    assert!(mean(&[("opportunistic_resend", "off")]) < mean(&[]));
}

#[test]
fn a_shorter_window_shortens_the_wait() {
    let latencies = latencies_ms(&[("max_window", "20 ms")], 12, 4_000);
    assert!(latencies.last().unwrap() < &40.0, "{}", latencies.last().unwrap());
}

#[test]
fn the_budget_is_the_mean_of_the_simulation() {
    let link = find("sik").unwrap();
    for set in [vec![], vec![("air_rate", "250")], vec![("baud", "9600")], vec![("max_window", "20 ms")]] {
        for payload_bytes in [12, 128, 1_024] {
            let settings = link.settings_with(set.iter().copied()).unwrap();
            let budget = link.program(&settings).unwrap().budget(payload_bytes);
            let budget_ms = budget.iter().map(|line| line.mean.ps() as f64 / 1e9).sum::<f64>();
            let latencies = latencies_ms(&set, payload_bytes, 20_000);
            let mean = latencies.iter().sum::<f64>() / latencies.len() as f64;
            assert!((budget_ms / mean - 1.0).abs() < 0.01, "{set:?} {payload_bytes}: {budget_ms} {mean}");
        }
    }
}

#[test]
fn a_rate_whose_window_holds_no_packet_is_refused_with_one_that_works() {
    let link = find("sik").unwrap();
    let refusal = |set: &[(&str, &str)]| {
        let settings = link.settings_with(set.iter().copied()).unwrap();
        link.program(&settings).err().map(|error| error.to_string())
    };
    let message = refusal(&[("air_rate", "2")]).unwrap();
    assert!(
        message.ends_with("a window of 131 ms has no room for a packet; use air_rate = 4 or more"),
        "{message}"
    );
    let message = refusal(&[("air_rate", "8"), ("max_window", "20 ms")]).unwrap();
    let advice = message.split("air_rate = ").nth(1).unwrap().split(' ').next().unwrap();
    assert_eq!(refusal(&[("air_rate", advice), ("max_window", "20 ms")]), None);
}

/// Latencies in order of sending, and bytes a second from the second quarter on.
fn fixed(payload_bytes: u32, period_ms: i64, count: u64) -> (Vec<f64>, f64) {
    let link = find("sik").unwrap();
    let program = link.program(&link.settings_with([("opportunistic_resend", "off")]).unwrap()).unwrap();
    let schedule = Schedule::Fixed { period: Picoseconds::from_ns(period_ms * 1_000_000) };
    let run = Simulation::new(program, payload_bytes, &schedule, count, 5, "test", 0).run();
    let done: Vec<f64> = run.iter().map(|sample| sample.done.unwrap().ps() as f64 / 1e9).collect();
    let latencies = run.iter().zip(&done).map(|(sample, done)| done - sample.trigger.ps() as f64 / 1e9);
    let (first, last) = (done.len() / 4, done.len() - 1);
    let bytes = (last - first) as f64 * f64::from(payload_bytes);
    (latencies.collect(), bytes / (done[last] - done[first]) * 1e3)
}

#[test]
fn what_waits_for_a_window_goes_in_one_packet() {
    // Twelve bytes every 25 ms: five messages a half-round, which take 60 B of a window for 750 B.
    let (latencies, _) = fixed(12, 25, 2_000);
    let longest = latencies.iter().copied().fold(0.0, f64::max);
    assert!(longest < 150.0, "{longest}");
}

#[test]
fn the_air_carries_what_its_windows_hold() {
    // What the firmware's own window holds: packets as long as its count of bytes allows. The peer has nothing to say, so
    // its windows are the sender's as well; each begins with an exchange of no bytes.
    let radios = timing(DEFAULTS);
    let held = |mut now: i64| {
        let mut bytes = 0;
        loop {
            match radios.room(radios.window - now) {
                Room::Bytes(room) if room > 0 => {
                    bytes += room;
                    now += radios.occupied(room);
                }
                Room::After(wait) => now += wait,
                Room::Bytes(_) | Room::None => return bytes as f64,
            }
        }
    };
    let half_round_s = radios.half_round as f64 / 1e12;
    let expected = (held(0) + held(radios.given_away(false))) / (2.0 * half_round_s);
    // 20 % more than that comes in; 57600 baud take 5760 B/s.
    let period_ms = (250.0 / (1.2 * expected) * 1e3) as i64;
    let (_, found) = fixed(250, period_ms.max(44), 3_000);
    assert!((found / expected.min(5_760.0) - 1.0).abs() < 0.05, "{found} {expected}");
}

#[test]
fn a_buffer_that_does_not_empty_is_a_queue() {
    let link = find("sik").unwrap();
    let schedule = Schedule::Fixed { period: Picoseconds::from_ns(10_000_000) };
    let program = link.program(&link.settings_with([]).unwrap()).unwrap();
    let mut simulation = Simulation::new(program, 128, &schedule, 500, 5, "test", 0);
    while !simulation.next_batch().is_empty() {}
    assert!(simulation.longest_queue() > 100, "{}", simulation.longest_queue());
}

#[test]
fn what_never_finds_room_behind_a_packet_to_be_repeated_is_lost_and_ends_the_run() {
    // A window of 65 ms has room for 156 B at its opening, as 8 bits count it; a packet that was longer never goes again,
    // and keeps fewer than 32 B behind it.
    let radios = timing(Choices { max_window_ms: 65, ..DEFAULTS });
    assert_eq!(radios.room(radios.window), Room::Bytes(156));
    let lost = |set: &[(&str, &str)], payload_bytes| {
        let link = find("sik").unwrap();
        let settings = link.settings_with(set.iter().copied()).unwrap();
        let schedule = Schedule::Dithered {
            period: Picoseconds::from_ns(5_300_000_000),
            by: Picoseconds::from_ns(700_000_000),
        };
        let program = link.program(&settings).unwrap();
        let samples = Simulation::new(program, payload_bytes, &schedule, 500, 5, "test", 0).run();
        samples.iter().filter(|sample| sample.done.is_none()).count()
    };
    assert_eq!(lost(&[("max_window", "65 ms")], 150), 0);
    assert!(lost(&[("max_window", "65 ms")], 400) > 0);
    assert_eq!(lost(&[("max_window", "65 ms"), ("opportunistic_resend", "off")], 400), 0);
    assert_eq!(lost(&[], 400), 0);
}

//! What a client or a server has to tell when it is asked: its samples, what it counted, and a sentence. Percentiles and
//! intervals of samples are the business of who asked.

use units::{PS_PER_S, Picoseconds};

use crate::bulk::{Direction, Transfer};
use crate::losses::{Loss, Losses};
use crate::scan::Service;
use crate::{Interval, Outcome, Sample};

/// Something that was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    /// What, as one word.
    pub name: &'static str,
    /// How much.
    pub value: u64,
    /// Of what.
    pub unit: &'static str,
}

/// What was measured and counted so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Results {
    /// One for each message; none where single messages are not measured.
    pub samples: Vec<Sample>,
    /// What was counted.
    pub counters: Vec<Counter>,
    /// All of it in a line.
    pub summary: String,
    /// Why a client did not do what it was made for.
    pub failure: Option<String>,
    /// Open ports that a scan found.
    pub services: Vec<Service>,
    /// Messages that were lost and peers that were turned away, by cause.
    pub losses: Vec<Loss>,
    /// What a client was sent, where it keeps that.
    pub received: Option<Vec<u8>>,
}

impl Results {
    /// Whether there is anything to tell.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
            && self.failure.is_none()
            && self.counters.iter().all(|counter| counter.value == 0)
    }

    /// Why there is no message: the failure, or what was counted with the reason of the first peer that was turned away.
    pub fn why_none(&self) -> String {
        let reason = || self.losses.iter().find_map(|loss| loss.first.detail.as_deref());
        match (&self.failure, reason()) {
            (Some(failure), _) => failure.clone(),
            (None, Some(reason)) => format!("{}: {reason}", self.summary),
            (None, None) => self.summary.clone(),
        }
    }

    /// Of a server that counts; the summary has what is not zero.
    pub(crate) fn counted(counters: &[(&'static str, u64, &'static str)]) -> Self {
        let counters: Vec<Counter> =
            counters.iter().map(|&(name, value, unit)| Counter { name, value, unit }).collect();
        let told = counters.iter().filter(|counter| counter.value > 0);
        let told: Vec<String> =
            told.map(|Counter { name, value, unit }| format!("{} {value} {unit}", spoken(name))).collect();
        let summary = if told.is_empty() { "nothing came".to_owned() } else { told.join(", ") };
        Self { counters, summary, ..Self::default() }
    }

    /// Of a client that measures messages, which are called `unit`. A client of which nothing succeeded has failed.
    pub(crate) fn measured(samples: Vec<Sample>, unit: &'static str, failure: Option<&str>) -> Self {
        let good = samples.iter().filter(|sample| sample.outcome == Outcome::Ok);
        let mut latencies: Vec<Picoseconds> = good.clone().filter_map(Sample::latency).collect();
        latencies.sort_unstable();
        let answered = good.count() as u64;
        let lost = samples.len() as u64 - answered;
        let sum = |of: fn(&Sample) -> u64| samples.iter().map(of).sum();
        let counters = vec![
            Counter { name: "answered", value: answered, unit },
            Counter { name: "lost", value: lost, unit },
            Counter { name: "sent", value: sum(|sample| sample.request_bytes), unit: "bytes" },
            Counter { name: "received", value: sum(|sample| sample.response_bytes), unit: "bytes" },
        ];
        let losses = Losses::of(&samples);
        let nothing = || format!("none of {} {unit} was answered", samples.len());
        let failure = failure.map(str::to_owned).or_else(|| {
            let all_lost = lost > 0 && answered == 0;
            all_lost
                .then(|| losses.last_detail().map_or_else(nothing, |last| format!("{}: {last}", nothing())))
        });
        let summary = summary_of(&samples, &latencies, unit, lost);
        let losses = losses.list().collect();
        Self { samples, counters, summary, failure, losses, ..Self::default() }
    }

    /// The same with those that a server turned away.
    pub(crate) fn with(mut self, losses: &Losses) -> Self {
        self.losses.extend(losses.list());
        self
    }

    /// Of transfers over one connection or several.
    pub(crate) fn transferred(transfers: &[Transfer], refused: u64) -> Self {
        let sum = |of: fn(&Transfer) -> &Direction| transfers.iter().map(|one| of(one).bytes()).sum();
        let wrong = transfers.iter().filter(|one| one.received.first_difference.is_some()).count() as u64;
        let broken = transfers.iter().filter(|one| one.error.is_some()).count() as u64;
        let counters = [
            ("connections", transfers.len() as u64, ""),
            ("sent", sum(|one| &one.sent), "bytes"),
            ("received", sum(|one| &one.received), "bytes"),
            ("wrong", wrong, "connections"),
            ("broken", broken, "connections"),
            ("refused", refused, "connections"),
        ];
        let counters = counters.map(|(name, value, unit)| Counter { name, value, unit }).to_vec();
        let faults = [(wrong, "with wrong bytes"), (broken, "broken off"), (refused, "refused")];
        let mut told: Vec<String> = Vec::new();
        if transfers.len() != 1 {
            told.push(format!("{} connections", transfers.len()));
        }
        for (verb, of) in
            [("sent", Transfer::sent as fn(&Transfer) -> &Direction), ("received", Transfer::received)]
        {
            told.extend(passed(verb, transfers.iter().filter_map(|one| of(one).whole)));
        }
        told.extend(
            faults.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")),
        );
        Self { counters, summary: told.join("; "), ..Self::default() }
    }
}

impl Transfer {
    fn sent(&self) -> &Direction {
        &self.sent
    }

    fn received(&self) -> &Direction {
        &self.received
    }

    /// Why it is not what it should have been.
    pub(crate) fn failure(&self) -> Option<String> {
        let differs = |at| format!("byte {at} of what was received is wrong");
        self.error.clone().or_else(|| self.received.first_difference.map(differs))
    }
}

fn spoken(name: &str) -> String {
    name.replace('_', " ")
}

/// `1000 messages in 1.38 s: 724/s, median 1.37 ms, 0 lost`.
fn summary_of(samples: &[Sample], latencies: &[Picoseconds], unit: &str, lost: u64) -> String {
    let begin = samples.iter().map(|sample| sample.trigger).min();
    let end = samples.iter().filter_map(|sample| sample.done).max();
    let (Some(begin), Some(end), Some(median)) = (begin, end, median(latencies)) else {
        return format!("{} {unit}, none answered", samples.len());
    };
    let (time, median) = (rounded(end - begin), rounded(median));
    let rate = match (end - begin).ps() {
        0 => String::new(),
        ps => format!("{}/s, ", short(latencies.len() as f64 * PS_PER_S as f64 / ps as f64)),
    };
    format!("{} {unit} in {time}: {rate}median {median}, {lost} lost", samples.len())
}

/// `sent 1000000 bytes in 1.2 s: 6.67 Mbit/s`; nothing where nothing passed.
pub(crate) fn passed(verb: &str, intervals: impl Iterator<Item = Interval>) -> Option<String> {
    let whole = intervals.filter(|one| one.bytes > 0).reduce(|one, other| Interval {
        start: one.start.min(other.start),
        end: one.end.max(other.end),
        bytes: one.bytes + other.bytes,
    })?;
    let rate = whole.bits_per_second().map(|rate| format!(": {} Mbit/s", short(rate as f64 / 1e6)));
    let time = rounded(whole.end - whole.start);
    Some(format!("{verb} {} bytes in {time}{}", whole.bytes, rate.unwrap_or_default()))
}

/// Of an even count, the mean of the two in the middle.
fn median(sorted: &[Picoseconds]) -> Option<Picoseconds> {
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        _ if sorted.is_empty() => None,
        0 => Some(Picoseconds::new(i64::midpoint(sorted[middle - 1].ps(), sorted[middle].ps()))),
        _ => Some(sorted[middle]),
    }
}

/// To three digits, for a sentence.
pub(crate) fn rounded(time: Picoseconds) -> Picoseconds {
    let digits = time.ps().max(1).ilog10();
    let unit = 10_i64.pow(digits.saturating_sub(2));
    Picoseconds::new((time.ps() + unit / 2) / unit * unit)
}

/// With three digits, more only before the point.
fn short(number: f64) -> String {
    let decimals = if number >= 100.0 {
        0
    } else if number >= 10.0 {
        1
    } else {
        2
    };
    format!("{number:.decimals$}")
}

#[cfg(test)]
mod tests {
    use units::PS_PER_MS;

    use super::*;
    use crate::losses::Cause;

    fn sample(index: i64, latency_ms: i64) -> Sample {
        let trigger = Picoseconds::new(index * 10 * PS_PER_MS);
        let done = Some(trigger + Picoseconds::new(latency_ms * PS_PER_MS));
        Sample { done, outcome: Outcome::Ok, request_bytes: 8, ..Sample::begun(index as u64, trigger) }
    }

    #[test]
    fn the_sentence_has_count_time_rate_median_and_losses() {
        let mut samples: Vec<Sample> = (0..10).map(|index| sample(index, index + 1)).collect();
        samples.push(Sample::begun(10, Picoseconds::new(100 * PS_PER_MS)).failed(Outcome::TimedOut, "late"));
        let results = Results::measured(samples, "messages", None);
        assert_eq!(results.summary, "11 messages in 100 ms: 100/s, median 5.5 ms, 1 lost");
        assert_eq!(results.counters[2], Counter { name: "sent", value: 80, unit: "bytes" });
        assert!(results.failure.is_none() && !results.is_empty());
    }

    #[test]
    fn a_client_of_which_nothing_came_through_has_failed_and_says_why() {
        let lost = Sample::begun(0, Picoseconds::ZERO).failed(Outcome::Reset, "refused");
        let results = Results::measured(vec![lost], "requests", None);
        assert_eq!(results.failure.as_deref(), Some("none of 1 requests was answered: refused"));
        assert_eq!(results.summary, "1 requests, none answered");
    }

    #[test]
    fn a_server_tells_what_is_not_zero() {
        let results = Results::counted(&[("answered", 3, "requests"), ("given_up", 0, "requests")]);
        assert_eq!((results.summary.as_str(), results.counters.len()), ("answered 3 requests", 2));
        assert!(Results::counted(&[("answered", 0, "requests")]).is_empty());
    }

    #[test]
    fn a_server_that_turned_everybody_away_says_why_there_is_no_message() {
        let counted = || Results::counted(&[("failed_handshakes", 1, "peers")]);
        assert_eq!(counted().why_none(), counted().summary);
        let mut losses = Losses::default();
        losses.note(Cause::Tls, Picoseconds::ZERO, None, None, Some("no cipher in common"));
        assert_eq!(counted().with(&losses).why_none(), "failed handshakes 1 peers: no cipher in common");
        let failed = Results { failure: Some("refused".to_owned()), ..counted().with(&losses) };
        assert_eq!(failed.why_none(), "refused");
    }

    #[test]
    fn times_and_rates_have_three_digits() {
        assert_eq!(rounded(Picoseconds::new(1_379_499_999)).to_string(), "1.38 ms");
        assert_eq!(rounded(Picoseconds::new(7)).ps(), 7);
        assert_eq!([724.4, 72.44, 7.244, 0.0].map(short), ["724", "72.4", "7.24", "0.00"]);
    }
}

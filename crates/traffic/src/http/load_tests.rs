//! How the client loads a server: by time, at fixed times, and what it takes for an error.

use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use super::tests::in_memory;
use super::*;
use crate::{Cause, Connection, Event, Machine, Outcome, Sample};

const fn ms(count: i64) -> Picoseconds {
    Picoseconds::new(count * PS_PER_MS)
}

fn counter(client: &Client, name: &str) -> Option<u64> {
    client.results().counters.iter().find(|counter| counter.name == name).map(|counter| counter.value)
}

#[test]
fn a_closed_loop_for_a_time_begins_no_request_after_it() {
    let (client, answered, now) = in_memory(|to| ClientSettings {
        requests: u64::MAX,
        duration: Some(ms(50)),
        concurrency: 2,
        keep_alive: true,
        ..ClientSettings::to(to)
    });
    // One millisecond to open and one for each page; those that begin at 49 ms end at 50 ms.
    assert_eq!((client.samples().len(), answered, now), (98, 98, ms(50)));
    assert!(client.samples().iter().all(|sample| sample.trigger < ms(50)));
}

#[test]
fn an_open_loop_asks_at_its_fixed_times_and_lets_no_answer_delay_the_next() {
    let (client, _, _) = in_memory(|to| ClientSettings {
        path: "/slow".to_owned(),
        requests: 100,
        rate: Some(100),
        concurrency: 3,
        keep_alive: true,
        ..ClientSettings::to(to)
    });
    let mut samples = client.samples().to_vec();
    samples.sort_by_key(|sample| sample.index);
    assert_eq!(samples.len(), 100);
    for sample in &samples {
        assert_eq!(sample.trigger, ms(10 * sample.index as i64));
        let opening = if sample.connect.is_some() { 1 } else { 0 };
        assert_eq!(sample.latency(), Some(ms(21 + opening)), "{sample:?}");
        assert_eq!(sample.sent, Some(sample.trigger + ms(opening)));
    }
    assert_eq!(counter(&client, "unsent"), Some(0));
}

#[test]
fn latency_counts_from_the_scheduled_time_and_what_never_left_is_said() {
    let (client, answered, now) = in_memory(|to| ClientSettings {
        path: "/slow".to_owned(),
        requests: u64::MAX,
        duration: Some(Picoseconds::new(PS_PER_S)),
        rate: Some(100),
        keep_alive: true,
        ..ClientSettings::to(to)
    });
    let good: Vec<&Sample> = client.samples().iter().filter(|sample| sample.outcome == Outcome::Ok).collect();
    // Each takes 21 ms and is due 10 ms after the one before, so that each waits 11 ms longer.
    for (turn, sample) in good.iter().enumerate() {
        assert_eq!(sample.latency(), Some(ms(22 + 11 * turn as i64)));
        assert_eq!(sample.done.zip(sample.sent).map(|(done, sent)| done - sent), Some(ms(21)));
    }
    assert_eq!((good.len() as u64, client.samples().len()), (answered, 100), "none is left out");
    assert_eq!((client.unsent(), counter(&client, "unsent")), (100 - answered, Some(100 - answered)));
    assert_eq!((answered, now), (48, ms(1009)), "the run ends with the answer to its last request");
    let unsent = client.samples().iter().find(|sample| sample.sent.is_none()).unwrap();
    let error = "the request was due and never sent, since all connections were busy";
    assert_eq!((unsent.outcome, unsent.error.as_deref()), (Outcome::TimedOut, Some(error)));
    let results = client.results();
    assert!(results.summary.ends_with(", 52 lost, 52 never sent"), "{}", results.summary);
    let [loss] = &results.losses[..] else { panic!("{:?}", results.losses) };
    assert_eq!((loss.cause, loss.count, loss.first.detail.as_deref()), (Cause::TimedOut, 52, Some(error)));
}

#[test]
fn a_request_that_waits_for_a_connection_waits_no_longer_than_its_time_out() {
    let (client, _, _) = in_memory(|to| ClientSettings {
        path: "/slow".to_owned(),
        requests: 100,
        rate: Some(1000),
        timeout: ms(50),
        keep_alive: true,
        ..ClientSettings::to(to)
    });
    assert_eq!(client.samples().len(), 100);
    let longest = client.samples().iter().filter_map(Sample::latency).max().unwrap();
    assert!(longest <= ms(50), "{longest}");
    assert!(client.unsent() > 90, "{}", client.unsent());
}

#[test]
fn a_status_of_400_and_more_is_counted_as_an_error_and_costs_no_connection() {
    let (client, _, _) = in_memory(|to| ClientSettings {
        path: "/none".to_owned(),
        requests: 20,
        keep_alive: true,
        body_contains: "nothing that is looked for in errors".to_owned(),
        ..ClientSettings::to(to)
    });
    for sample in client.samples() {
        assert_eq!(
            (sample.outcome, sample.status, sample.error_status()),
            (Outcome::Ok, Some(404), Some(404))
        );
    }
    assert_eq!((client.samples().len(), client.kept_alive()), (20, 20));
    assert_eq!((counter(&client, "answered"), counter(&client, "error_statuses")), (Some(20), Some(20)));
    let summary = client.summary();
    assert_eq!((summary.complete, summary.failed, summary.error_statuses), (20, 0, 20));
    let summary = client.results().summary;
    assert!(summary.ends_with("20 answered with an error, first with status 404"), "{summary}");
}

#[test]
fn a_body_without_the_text_is_a_wrong_answer() {
    for (text, outcome) in [("to the board", Outcome::Ok), ("to the bored", Outcome::Wrong)] {
        let to = crate::testing::loopback(80);
        let body_contains = text.to_owned();
        let mut client = Client::new(ClientSettings { requests: 1, body_contains, ..ClientSettings::to(to) });
        client.handle(ms(0), Event::Wake);
        client.handle(ms(1), Event::Opened(Connection(0)));
        for piece in ["HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nWelcome to ", "the board"] {
            client.handle(ms(2), Event::Received(Connection(0), piece.as_bytes()));
        }
        assert_eq!(client.samples()[0].outcome, outcome, "{text}");
        let said = "the body does not hold \"to the bored\"";
        assert_eq!(client.samples()[0].error.as_deref(), (outcome == Outcome::Wrong).then_some(said));
    }
}

#[test]
fn a_thousand_connections_are_served_as_they_come() {
    let (client, answered, now) = in_memory(|to| ClientSettings {
        requests: 5000,
        concurrency: 1000,
        keep_alive: true,
        ..ClientSettings::to(to)
    });
    assert_eq!((client.samples().len(), answered, now), (5000, 5000, ms(6)));
}

#[test]
fn a_free_connection_that_the_server_closes_is_opened_again_for_the_next_request() {
    let to = crate::testing::loopback(80);
    let settings = ClientSettings { requests: 2, rate: Some(10), keep_alive: true, ..ClientSettings::to(to) };
    let mut client = Client::new(settings);
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    client.handle(ms(0), Event::Wake);
    client.handle(ms(1), Event::Opened(Connection(0)));
    client.handle(ms(2), Event::Received(Connection(0), answer));
    client.handle(ms(3), Event::PeerFinished(Connection(0)));
    assert_eq!((client.wake_at(), client.is_done()), (Some(ms(100)), false));
    client.handle(ms(100), Event::Wake);
    client.handle(ms(101), Event::Opened(Connection(1)));
    client.handle(ms(102), Event::Received(Connection(1), answer));
    assert!(client.is_done() && client.wake_at().is_none());
    let connections: Vec<_> = client.samples().iter().map(|sample| sample.connection).collect();
    assert_eq!(connections, [Some(0), Some(1)]);
}

//! The free client, with an echo server and with nobody at the other end of a wire in memory.

use std::net::Ipv4Addr;

use traffic::memory::Memory;
use traffic::{Cause, Machine, Outcome, Results, machine, small, talk};
use units::{PS_PER_MS, Picoseconds};

const SERVER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);

fn ms(count: i64) -> Picoseconds {
    Picoseconds::new(count * PS_PER_MS)
}

fn talked(options: &[(&str, &str)]) -> Results {
    let mut wire = Memory::new(Picoseconds::from_ns(1_000));
    wire.add(SERVER.into(), Box::new(small::Server::new(small::Service::Echo, 7)));
    let options = [&[("to", "10.0.0.1:7")], options].concat();
    let client = wire.add(Ipv4Addr::new(10, 0, 0, 2).into(), machine("talk", &options).unwrap());
    assert!(wire.run_until_done(client, ms(60_000)), "it comes to its end");
    wire.machine::<talk::Client>(client).unwrap().results()
}

#[test]
fn messages_leave_at_their_times_and_what_comes_back_is_kept() {
    for over in ["tcp", "udp"] {
        let results =
            talked(&[("over", over), ("send", r"\x01ping\r\n"), ("at", "0s,5ms,20ms"), ("expect", r"ng\r")]);
        let triggers: Vec<i64> = results.samples.iter().map(|one| one.trigger.ps() / PS_PER_MS).collect();
        assert_eq!(triggers, [0, 5, 20], "{over}");
        assert!(results.samples.iter().all(|one| one.outcome == Outcome::Ok), "{over}");
        assert_eq!(results.received.unwrap(), b"\x01ping\r\n".repeat(3), "{over}");
        assert_eq!((results.failure, results.losses.len()), (None, 0), "{over}");
    }
}

#[test]
fn an_answer_that_is_another_is_wrong_and_says_what_came() {
    let results = talked(&[
        ("send", "ping"),
        ("expect", "pong"),
        ("timeout", "50ms"),
        ("count", "2"),
        ("interval", "0s"),
    ]);
    let [loss] = &results.losses[..] else { panic!("{:?}", results.losses) };
    assert_eq!(
        (loss.cause, loss.count, loss.first.index, loss.last.index),
        (Cause::Wrong, 2, Some(0), Some(1))
    );
    assert_eq!(loss.first.detail.as_deref(), Some("what was expected did not come within 50 ms, but ping"));
}

#[test]
fn a_port_where_nobody_listens_is_a_failure() {
    let mut wire = Memory::new(Picoseconds::from_ns(1_000));
    wire.add(SERVER.into(), Box::new(small::Server::new(small::Service::Echo, 7)));
    let client = machine("talk", &[("to", "10.0.0.1:8"), ("send", "x")]).unwrap();
    let client = wire.add(Ipv4Addr::new(10, 0, 0, 2).into(), client);
    assert!(wire.run_until_done(client, ms(60_000)));
    let failure = wire.machine::<talk::Client>(client).unwrap().results().failure;
    assert!(failure.is_some_and(|failure| failure.contains("refused")));
}

#[test]
fn options_that_cannot_go_together_are_refused() {
    let refused = |more: &[(&str, &str)]| {
        machine("talk", &[&[("to", "10.0.0.1")], more].concat()).unwrap_err().to_string()
    };
    assert!(refused(&[("at", "2s,1s")]).starts_with("at: a message cannot leave before"));
    assert!(refused(&[("answers", "no"), ("expect", "x")]).starts_with("expect: nothing is expected"));
    assert!(refused(&[("file", "no-such-file")]).starts_with("file: no-such-file cannot be read: "));
    assert!(refused(&[("send", r"\q")]).starts_with("send is "));
}

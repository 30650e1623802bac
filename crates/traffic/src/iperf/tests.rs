//! iperf between the two machines, and with Debian's iperf 2.

use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use units::{PS_PER_MS, PS_PER_S, PS_PER_US, Picoseconds};

use super::datagram::DatagramHead;
use super::*;
use crate::bulk::Amount;
use crate::memory::Memory;
use crate::os::{Ended, Seat};
use crate::testing::{loopback, serving, tool, within_seconds};
use crate::{Action, Cause, Event, IpEndpoint, Machine};

fn udp(port: u16, interval: Option<Picoseconds>) -> UdpServerSettings {
    UdpServerSettings { port, interval }
}

#[test]
fn a_udp_test_in_virtual_time_sends_at_its_rate_and_loses_nothing() {
    let address = [10, 0, 0, 1].into();
    let second = Some(Picoseconds::new(PS_PER_S));
    let mut wire = Memory::new(Picoseconds::new(PS_PER_MS));
    let far = wire.add(address, Box::new(UdpServer::new(udp(5001, second))));
    let settings = UdpClientSettings {
        amount: Amount::Time(Picoseconds::new(2 * PS_PER_S)),
        bits_per_second: 8_000_000,
        datagram_bytes: 1000,
        ..UdpClientSettings::to(IpEndpoint { address, port: 5001 })
    };
    let near = wire.add([10, 0, 0, 2].into(), Box::new(UdpClient::new(settings)));
    assert!(wire.run_until_done(near, Picoseconds::new(10 * PS_PER_S)));
    let client = wire.machine::<UdpClient>(near).unwrap();
    let expected = ServerReport {
        bytes: 2_000_000,
        time: Picoseconds::new(1999 * PS_PER_MS),
        datagrams: 2000,
        ..ServerReport::default()
    };
    assert_eq!((client.report(), client.sent_datagrams()), (Some(expected), 2000));
    assert_eq!(wire.now(), Picoseconds::new(2002 * PS_PER_MS));
    let session = wire.machine::<UdpServer>(far).unwrap().sessions().next().unwrap().1.clone();
    assert_eq!(session.intervals()[0].bits_per_second(), Some(8_000_000));
}

/// What a server reports of the numbers and times of datagrams of a client.
fn report_of(datagrams: &[(i32, i64)], last: i32) -> ServerReport {
    served(datagrams, last).0
}

/// Feeds a server the numbers and times of datagrams of a client, then the last one.
fn served(datagrams: &[(i32, i64)], last: i32) -> (ServerReport, UdpServer) {
    let mut server = UdpServer::new(udp(5001, None));
    let sent_at = |number: i32| Picoseconds::new(i64::from(number) * PS_PER_MS);
    for &(number, transit_us) in datagrams {
        let bytes = DatagramHead::datagram(number, sent_at(number), 100);
        let now = sent_at(number) + Picoseconds::new(transit_us * PS_PER_US);
        server.handle(now, Event::Datagram { socket: UdpServer::SOCKET, from: loopback(1), bytes: &bytes });
    }
    let bytes = DatagramHead::datagram(-last, sent_at(last), 100);
    let event = Event::Datagram { socket: UdpServer::SOCKET, from: loopback(1), bytes: &bytes };
    server.handle(sent_at(last), event);
    let Some(Action::SendTo(_, _, answer)) = std::iter::from_fn(|| server.poll()).last() else {
        panic!("no answer")
    };
    (ServerReport::parse(&answer).unwrap(), server)
}

#[test]
fn lost_and_reordered_datagrams_are_told_apart() {
    let same = 500;
    let report = report_of(&[(0, same), (1, same), (4, same), (3, same), (5, same)], 8);
    assert_eq!((report.lost, report.out_of_order, report.datagrams), (3, 1, 8), "2, 6 and 7 are lost");
    assert_eq!((report.bytes, report.jitter), (500, Picoseconds::ZERO));
}

#[test]
fn datagrams_that_did_not_arrive_are_a_loss_with_its_cause_at_both_ends() {
    let (report, server) = served(&[(0, 500), (3, 500)], 5);
    let [loss] = &server.results().losses[..] else { panic!("{:?}", server.results()) };
    assert_eq!((loss.cause, loss.count, loss.first.peer), (Cause::Missing, 3, Some(loopback(1))));
    assert_eq!(report.lost, 3);

    let mut client = UdpClient::new(UdpClientSettings {
        amount: Amount::Bytes(1),
        ..UdpClientSettings::to(loopback(5001))
    });
    for at in [0, 1000] {
        client.handle(Picoseconds::new(at * PS_PER_MS), Event::Wake);
    }
    let answer = report.answer(&DatagramHead::datagram(-5, Picoseconds::ZERO, 100), false);
    let now = Picoseconds::new(1001 * PS_PER_MS);
    client.handle(now, Event::Datagram { socket: UdpServer::SOCKET, from: loopback(5001), bytes: &answer });
    let [loss] = &client.results().losses[..] else { panic!("{:?}", client.results()) };
    assert_eq!((loss.cause, loss.count, loss.first.at), (Cause::Missing, 3, now));
}

#[test]
fn the_jitter_is_that_of_rfc_1889() {
    // J += (|D| - J) / 16, worked by hand: 1600 us, then 0 us: 100 us, then 93.75 us.
    let report = report_of(&[(0, 100), (1, 1700), (2, 1700)], 3);
    assert_eq!(report.jitter, Picoseconds::new(93 * PS_PER_US), "the report has whole microseconds");
}

#[test]
fn a_server_that_never_answers_ends_the_client_with_a_sentence() {
    let to = IpEndpoint { address: [10, 0, 0, 9].into(), port: 5001 };
    let mut wire = Memory::new(Picoseconds::new(PS_PER_MS));
    let settings = UdpClientSettings { amount: Amount::Bytes(1), ..UdpClientSettings::to(to) };
    let near = wire.add([10, 0, 0, 2].into(), Box::new(UdpClient::new(settings)));
    assert!(wire.run_until_done(near, Picoseconds::new(10 * PS_PER_S)));
    assert_eq!(
        wire.machine::<UdpClient>(near).unwrap().error(),
        Some("10.0.0.9:5001 did not answer 10 last datagrams with its report")
    );
}

proptest! {
    #[test]
    fn no_datagram_makes_a_parser_or_a_machine_panic(
        datagrams in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..80), 0..10),
    ) {
        let mut server = UdpServer::new(udp(5001, Some(Picoseconds::new(PS_PER_S))));
        let mut client = UdpClient::new(UdpClientSettings {
            amount: Amount::Bytes(1),
            ..UdpClientSettings::to(loopback(5001))
        });
        client.handle(Picoseconds::ZERO, Event::Wake);
        for (turn, bytes) in datagrams.iter().enumerate() {
            let now = Picoseconds::new(turn as i64 * PS_PER_S);
            let _ = ServerReport::parse(bytes);
            for machine in [&mut server as &mut dyn Machine, &mut client] {
                machine.handle(now, Event::Datagram { socket: UdpServer::SOCKET, from: loopback(5001), bytes });
                while machine.poll().is_some() {}
            }
        }
    }

    #[test]
    fn a_report_is_read_as_it_was_written(
        numbers in any::<(u64, u32, u32, u32)>(), micros in any::<(u32, u16)>(), long in any::<bool>(),
    ) {
        let (bytes, lost, out_of_order, datagrams) = numbers;
        let time = |micros: i64| Picoseconds::new(micros * PS_PER_US);
        let report = ServerReport {
            bytes, lost, out_of_order, datagrams,
            time: time(micros.0.into()),
            jitter: time(micros.1.into()),
        };
        prop_assert_eq!(ServerReport::parse(&report.answer(&[0; 40], long)), Some(report));
    }
}

/// The field's iperf as a server; ends with the value.
pub(super) struct IperfServer {
    child: Child,
    pub(super) port: u16,
}

impl IperfServer {
    /// On a port that was free a moment ago; nothing where iperf is not installed.
    pub(super) fn start(udp: bool) -> Option<Self> {
        let free = match udp {
            true => UdpSocket::bind("127.0.0.1:0").unwrap().local_addr(),
            false => TcpListener::bind("127.0.0.1:0").unwrap().local_addr(),
        };
        let free = free.unwrap().port();
        let port = free.to_string();
        let mut arguments = vec!["-s", "-p", &port, "-i", "10"];
        if udp {
            arguments.push("-u");
        }
        let child =
            Command::new("iperf").args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let Ok(mut child) = child else {
            ::testing::leave_out("iperf cannot be run (Debian: iperf)");
            return None;
        };
        if udp {
            // It says so once it is bound.
            let mut line = String::new();
            BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
            thread::sleep(Duration::from_millis(300));
        } else {
            let listens = (0..500).any(|_| {
                thread::sleep(Duration::from_millis(20));
                TcpStream::connect(("127.0.0.1", free)).is_ok()
            });
            assert!(listens, "iperf does not listen on port {free}: {:?}", child.try_wait());
        }
        Some(Self { child, port: free })
    }

    pub(super) fn printed(mut self) -> String {
        let mut text = String::new();
        self.child.kill().unwrap();
        let _ = self.child.stdout.take().unwrap().read_to_string(&mut text);
        text
    }
}

impl Drop for IperfServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn debians_iperf_sends_to_our_tcp_server() {
    let interval = Some(Picoseconds::new(PS_PER_S));
    let (server, printed) = serving(
        TcpServer::new(TcpServerSettings { port: 0, interval, ..TcpServerSettings::default() }),
        TcpServer::LISTENER,
        |port| {
            let printed = tool("iperf", &["-c", "127.0.0.1", "-p", &port.to_string(), "-n", "8M"]);
            thread::sleep(Duration::from_millis(200));
            printed
        },
    );
    let Some(printed) = printed else { return };
    assert!(printed.contains("8.00 MBytes"), "{printed}");
    let transfer = server.transfers().next().expect("the client has ended");
    assert_eq!((transfer.received.bytes(), &transfer.error), (8 << 20, &None));
}

#[test]
fn our_tcp_client_sends_to_debians_iperf() {
    let Some(server) = IperfServer::start(false) else { return };
    let mut seat = Seat::new().unwrap();
    let amount = Amount::Time(Picoseconds::new(PS_PER_S / 2));
    let interval = Some(Picoseconds::new(PS_PER_S / 10));
    let settings = TcpClientSettings { amount, interval, ..TcpClientSettings::to(loopback(server.port)) };
    let number = seat.add(Box::new(TcpClient::new(settings)));
    assert_eq!(seat.run(within_seconds(20)).unwrap(), Ended::Done);
    let transfer = seat.machine::<TcpClient>(number).unwrap().transfer();
    assert_eq!(transfer.error, None);
    assert!(transfer.sent.bytes() > 1_000_000 && transfer.sent.intervals.len() >= 5);
    thread::sleep(Duration::from_millis(200));
    let printed = server.printed();
    assert!(printed.contains("connected with 127.0.0.1"), "{printed}");
    assert!(printed.contains("Bytes"), "{printed}");
}

#[test]
fn debians_iperf_gets_our_udp_report() {
    let (server, printed) = serving(UdpServer::new(udp(0, None)), UdpServer::SOCKET, |port| {
        tool("iperf", &["-u", "-c", "127.0.0.1", "-p", &port.to_string(), "-n", "1M", "-b", "10M"])
    });
    let Some(printed) = printed else { return };
    let report = server.sessions().next().unwrap().1.report().unwrap();
    assert!(printed.contains("Server Report"), "{printed}");
    assert_eq!((report.bytes, report.lost, report.out_of_order), (1 << 20, 0, 0), "{printed}");
    // 713 of 1470 B and one of 466.
    assert!(printed.contains("0/714 (0%)"), "{printed}");
}

#[test]
fn our_udp_client_gets_the_report_of_debians_iperf() {
    let Some(server) = IperfServer::start(true) else { return };
    let mut seat = Seat::new().unwrap();
    let settings = UdpClientSettings {
        amount: Amount::Time(Picoseconds::new(PS_PER_S / 2)),
        bits_per_second: 5_000_000,
        ..UdpClientSettings::to(loopback(server.port))
    };
    let number = seat.add(Box::new(UdpClient::new(settings)));
    assert_eq!(seat.run(within_seconds(20)).unwrap(), Ended::Done);
    let client = seat.machine::<UdpClient>(number).unwrap();
    let report = client.report().expect("a report");
    assert_eq!(u64::from(client.sent_datagrams()) * 1470, client.sent().unwrap().bytes);
    assert_eq!(report.bytes, client.sent().unwrap().bytes);
    assert_eq!((report.lost, report.datagrams), (0, client.sent_datagrams()));
}

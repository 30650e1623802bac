//! The scan against servers that know nothing of it: listeners of the standard library on loopback, each with manners of its own.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::Duration;

use units::{PS_PER_MS, Picoseconds};

use super::{Client, ClientSettings, Service, Speaks};
use crate::os::Seat;
use crate::talk::Over;
use crate::testing::within_seconds;
use crate::{Action, Connection, Declared, Event, Machine};

/// A server that treats each connection alike, for as long as the test runs; gives its port.
fn server(manners: impl Fn(TcpStream) + Send + Sync + Clone + 'static) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let manners = manners.clone();
            thread::spawn(move || manners(stream.unwrap()));
        }
    });
    port
}

fn heard(stream: &mut TcpStream) -> Vec<u8> {
    let mut buffer = [0; 100];
    let count = stream.read(&mut buffer).unwrap_or(0);
    buffer[..count].to_vec()
}

fn scanned(ports: Vec<u16>) -> (Client, Vec<Service>) {
    let timeout = Picoseconds::new(300 * PS_PER_MS);
    scanned_with(ClientSettings { timeout, ..ClientSettings::to(Ipv4Addr::LOCALHOST, ports) })
}

fn scanned_with(settings: ClientSettings) -> (Client, Vec<Service>) {
    let mut seat = Seat::at(Ipv4Addr::LOCALHOST).unwrap();
    let number = seat.add(Box::new(Client::new(settings)));
    seat.run(within_seconds(30)).unwrap();
    let client = seat.machine::<Client>(number).unwrap().clone();
    assert!(client.is_done(), "the scan has not come to its end");
    let services = client.services();
    (client, services)
}

fn only(port: u16) -> Service {
    let (_, services) = scanned(vec![port]);
    assert_eq!(services.len(), 1, "{services:?}");
    services[0].clone()
}

#[test]
fn a_web_server_answers_a_request() {
    let port = server(|mut stream| {
        heard(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    });
    let service = only(port);
    assert_eq!(service.speaks, Speaks::Http);
    assert_eq!(service.first_line.as_deref(), Some("HTTP/1.1 404 Not Found"));
}

#[test]
fn an_echo_server_sends_the_request_back() {
    let port = server(|mut stream| {
        while let bytes @ [_, ..] = &heard(&mut stream)[..] {
            let _ = stream.write_all(bytes);
        }
    });
    assert_eq!(only(port), Service { over: Over::Tcp, port, speaks: Speaks::Echo, first_line: None });
}

#[test]
fn a_ping_pong_server_answers_a_number_with_the_next() {
    for (newline, speaks) in [(false, Speaks::Counter), (true, Speaks::CounterLines)] {
        let port = server(move |mut stream| {
            let mut all = Vec::new();
            loop {
                let bytes = heard(&mut stream);
                all.extend_from_slice(&bytes);
                if bytes.is_empty() {
                    return;
                }
                let is_line = all.ends_with(b"\n") || !newline;
                let text = String::from_utf8_lossy(&all).trim().to_owned();
                if let (true, Ok(number)) = (is_line, text.parse::<u64>()) {
                    let end = if newline { "\n" } else { "" };
                    let _ = stream.write_all(format!("{}{end}", number + 1).as_bytes());
                    all.clear();
                }
            }
        });
        assert_eq!(only(port).speaks, speaks);
    }
}

#[test]
fn a_server_that_speaks_first_is_told_by_its_line() {
    let port = server(|mut stream| {
        let _ = stream.write_all(b"220 board ready\r\n");
        heard(&mut stream);
    });
    let line = Some("220 board ready".to_owned());
    // However busy this machine is.
    let greeting_time = Picoseconds::new(5_000 * PS_PER_MS);
    let settings = ClientSettings { greeting_time, ..ClientSettings::to(Ipv4Addr::LOCALHOST, vec![port]) };
    let (_, services) = scanned_with(settings);
    assert_eq!(services, [Service { over: Over::Tcp, port, speaks: Speaks::Greeting, first_line: line }]);
}

#[test]
fn a_greeting_that_comes_late_is_no_answer_to_a_number() {
    let port = server(|mut stream| {
        if heard(&mut stream) == b"1" {
            let _ = stream.write_all(b"220 board ready\r\n");
        }
    });
    assert_ne!(only(port).speaks, Speaks::Counter);
}

#[test]
fn a_server_that_never_stops_is_a_source() {
    let port = server(|mut stream| while stream.write_all(&[b'x'; 1000]).is_ok() {});
    assert_eq!(only(port).speaks, Speaks::Source);
}

#[test]
fn a_server_that_answers_nothing_is_a_sink() {
    let port = server(|mut stream| while !heard(&mut stream).is_empty() {});
    assert_eq!(only(port).speaks, Speaks::Sink);
}

#[test]
fn a_server_that_hangs_up_is_told_from_one_that_listens() {
    let port = server(|stream| drop(stream.shutdown(Shutdown::Both)));
    assert_eq!(only(port).speaks, Speaks::Closes);
}

#[test]
fn a_server_that_hangs_up_on_less_than_a_head_takes_what_follows_one() {
    // As lwIP's server for iperf 2 does, whose head has 24 bytes.
    let port = server(|mut stream| {
        if heard(&mut stream).len() >= 24 {
            while !heard(&mut stream).is_empty() {}
        }
    });
    assert_eq!(only(port).speaks, Speaks::Sink);
}

#[test]
fn an_answer_that_nobody_knows_is_told_by_its_first_line() {
    let port = server(|mut stream| {
        if !heard(&mut stream).is_empty() {
            let _ = stream.write_all(b"-ERR what?\r\n");
            thread::sleep(Duration::from_millis(50));
        }
    });
    let line = Some("-ERR what?".to_owned());
    assert_eq!(only(port), Service { over: Over::Tcp, port, speaks: Speaks::Text, first_line: line });
}

#[test]
fn ports_that_refuse_are_counted_and_open_ones_stand_in_order() {
    let quiet = |mut stream: TcpStream| while !heard(&mut stream).is_empty() {};
    let mut open = vec![server(quiet), server(quiet), server(quiet)];
    // A port that was bound and let go: nobody listens there.
    let refusing = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let (client, services) = scanned([&open[..], &[refusing]].concat());
    open.sort_unstable();
    assert_eq!(services.iter().map(|one| one.port).collect::<Vec<_>>(), open);
    let counts = client.counts();
    assert_eq!((counts.knocked, counts.open, counts.refused, counts.unanswered), (4, 3, 1, 0));
}

/// A UDP server that answers each datagram so; gives its port.
fn datagram_server(answer: impl Fn(&[u8]) -> Option<Vec<u8>> + Send + 'static) -> u16 {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = socket.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut buffer = [0; 100];
        while let Ok((count, from)) = socket.recv_from(&mut buffer) {
            if let Some(answer) = answer(&buffer[..count]) {
                socket.send_to(&answer, from).unwrap();
            }
        }
    });
    port
}

#[test]
fn udp_ports_are_told_by_what_they_answer_behind_those_of_tcp() {
    let tcp = server(|mut stream| while !heard(&mut stream).is_empty() {});
    let echo = datagram_server(|bytes| Some(bytes.to_vec()));
    let counter = datagram_server(|_| Some(b"2\n".to_vec()));
    let text = datagram_server(|_| Some(b"temperature 21".to_vec()));
    let silent = datagram_server(|_| None);
    let udp_ports = vec![silent, text, echo, counter];
    let settings = ClientSettings { udp_ports, ..ClientSettings::to(Ipv4Addr::LOCALHOST, vec![tcp]) };
    let (client, services) = scanned_with(settings);
    assert_eq!((services[0].over, services[0].port), (Over::Tcp, tcp));
    let of = |port| services.iter().find(|one| one.over == Over::Udp && one.port == port).cloned();
    assert_eq!(of(echo).unwrap().speaks, Speaks::Echo);
    assert_eq!(of(counter).unwrap().speaks, Speaks::Counter);
    assert_eq!(of(text).unwrap().first_line.as_deref(), Some("temperature 21"));
    assert_eq!((of(silent), services.len()), (None, 4));
    assert!(client.results().summary.starts_with("1 TCP ports and 4 of UDP, open: "));
}

#[test]
fn a_udp_port_that_is_silent_is_open_where_the_board_refuses_others() {
    let of = |refused: &[u16]| {
        let udp_ports = vec![7, 69, 5000];
        let settings =
            ClientSettings { udp_ports, ..ClientSettings::to(Ipv4Addr::new(192, 168, 1, 50), vec![]) };
        let (mut client, mut now) = (Client::new(settings), Picoseconds::ZERO);
        while let Some(at) = client.wake_at() {
            now = now.max(at);
            client.handle(now, Event::Wake);
            while let Some(action) = client.poll() {
                if let Action::SendTo(_, to, _) = action
                    && refused.contains(&to.port)
                {
                    client.handle(now, Event::PortRefused(to));
                }
            }
        }
        client.services().into_iter().map(|one| (one.port, one.speaks)).collect::<Vec<_>>()
    };
    assert_eq!(of(&[69, 5000]), [(7, Speaks::Silent)]);
    assert_eq!(of(&[]), [], "of a board that refuses none nothing is known");
}

#[test]
fn a_host_that_answers_nothing_is_not_knocked_at_without_end() {
    let mut client = Client::new(ClientSettings::to(Ipv4Addr::new(192, 168, 1, 50), (1..=1000).collect()));
    let mut now = Picoseconds::ZERO;
    let mut knocks = 0;
    while let Some(at) = client.wake_at() {
        now = now.max(at);
        client.handle(now, Event::Wake);
        while let Some(action) = client.poll() {
            knocks += u64::from(matches!(action, Action::Connect(..)));
        }
        assert!(knocks < 200, "it knocks on and on");
    }
    assert!(client.is_done() && client.services().is_empty());
    assert_eq!(client.counts().unanswered, knocks);
}

/// The ports that are knocked at on a board whose stack throws away all that comes.
fn knocked_at_a_silent_board() -> Vec<u16> {
    let mut client = Client::new(ClientSettings::from_options(&[("to", "192.168.1.50")]).unwrap());
    let (mut now, mut knocked) = (Picoseconds::ZERO, Vec::new());
    while let Some(at) = client.wake_at() {
        now = now.max(at);
        client.handle(now, Event::Wake);
        while let Some(action) = client.poll() {
            knocked.extend(if let Action::Connect(_, to) = action { Some(to.port) } else { None });
        }
    }
    knocked
}

#[test]
fn a_stack_that_refuses_whoever_asks_while_another_one_does_is_found_open_all_the_same() {
    let mut client = Client::new(ClientSettings::from_options(&[("to", "192.168.1.50")]).unwrap());
    let answer_time = Picoseconds::new(2 * PS_PER_MS);
    let mut now = Picoseconds::ZERO;
    let mut waiting: VecDeque<(Picoseconds, Connection, u16)> = VecDeque::new();
    while client.counts().open + client.counts().refused < 100 {
        let due = waiting.front().map(|(at, ..)| *at);
        now = now.max(client.wake_at().into_iter().chain(due).min().expect("it has come to its end"));
        if let Some((_, connection, port)) = waiting.front().copied().filter(|(at, ..)| *at <= now) {
            waiting.pop_front();
            let is_open = port == 4242 && waiting.is_empty();
            let refused = Event::Closed(connection, None);
            client.handle(now, if is_open { Event::Opened(connection) } else { refused });
        } else {
            client.handle(now, Event::Wake);
        }
        while let Some(action) = client.poll() {
            if let Action::Connect(connection, to) = action {
                waiting.push_back((now + answer_time, connection, to.port));
            }
        }
    }
    assert_eq!(client.counts().open, 1);
    assert!(waiting.len() > 1, "the ports at which few listen are knocked at one by one");
}

#[test]
fn the_ports_that_boards_listen_at_are_knocked_at_before_a_silent_board_is_given_up() {
    let knocked = knocked_at_a_silent_board();
    // HTTP, an echo (RFC 862), telnet; what examples of Embassy, lwIP and WIZnet use; iperf; and others for HTTP.
    for port in [80, 7, 23, 1234, 4242, 5000, 5001, 8000, 8080] {
        assert!(knocked.contains(&port), "{port} is none of {knocked:?}");
    }
    assert!(knocked.len() < 200);
}

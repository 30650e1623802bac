//! The seat in memory keeps the promises of actions and events.

use std::collections::VecDeque;

use super::*;

const LINE: Connection = Connection(1);
const DELAY: Picoseconds = Picoseconds::from_ns(1_000);

/// Asks for what it was given at first and on each event of a kind, and notes what it heard and when.
#[derive(Debug, Clone, Default)]
struct Noting {
    actions: VecDeque<Action>,
    answers: Vec<(&'static str, Action)>,
    notes: Vec<(i64, String)>,
}

impl Machine for Noting {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        let note = format!("{event:?}");
        for (_, action) in self.answers.iter().filter(|(start, _)| note.starts_with(start)) {
            self.actions.push_back(action.clone());
        }
        self.notes.push((now.ps() / DELAY.ps(), note));
    }
    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }
    fn wake_at(&self) -> Option<Picoseconds> {
        None
    }
    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}

fn joined(server: Noting, client: Noting) -> (Memory, usize, usize) {
    let mut wire = Memory::new(DELAY);
    let server = wire.add(Ipv4Addr::new(10, 0, 0, 1).into(), Box::new(server));
    let client = wire.add(Ipv4Addr::new(10, 0, 0, 2).into(), Box::new(client));
    wire.run_until(Picoseconds::new(1_000 * DELAY.ps()));
    (wire, server, client)
}

fn there() -> IpEndpoint {
    IpEndpoint::new(Ipv4Addr::new(10, 0, 0, 1), 7)
}

fn accepted() -> Connection {
    Connection(Connection::FIRST_ACCEPTED)
}

fn notes(wire: &Memory, number: usize) -> Vec<(i64, &str)> {
    let notes = &wire.machine::<Noting>(number).unwrap().notes;
    notes.iter().map(|(at, note)| (*at, note.split(['(', ' ']).next().unwrap())).collect()
}

#[test]
fn opening_sending_and_closing_take_the_wires_delay_each_way() {
    let server = Noting {
        actions: [Action::Listen(LINE, 7)].into(),
        answers: vec![("PeerFinished", Action::Finish(accepted()))],
        ..Noting::default()
    };
    let client = Noting {
        actions: [Action::Connect(LINE, there())].into(),
        answers: vec![
            ("Opened", Action::Send(LINE, b"hello".to_vec())),
            ("Opened", Action::WantRoom(LINE, 0)),
            ("Drained", Action::Finish(LINE)),
        ],
        ..Noting::default()
    };
    let (wire, server, client) = joined(server, client);
    let at_server = [(1, "Accepted"), (3, "Received"), (5, "PeerFinished"), (5, "Closed")];
    assert_eq!(notes(&wire, server)[..2], [(0, "Wake"), (0, "Listening")]);
    assert_eq!(notes(&wire, server)[2..], at_server);
    let at_client = [(0, "Wake"), (2, "Opened"), (4, "Drained"), (6, "PeerFinished"), (6, "Closed")];
    assert_eq!(notes(&wire, client), at_client);
}

#[test]
fn a_held_connection_takes_one_window_and_the_rest_when_it_is_let_go() {
    let server = Noting {
        actions: [Action::Listen(LINE, 7), Action::Bind(LINE, 9, false)].into(),
        answers: vec![
            ("Accepted", Action::Hold(accepted(), true)),
            ("Datagram", Action::Hold(accepted(), false)),
        ],
        ..Noting::default()
    };
    let client = Noting {
        actions: [Action::Connect(LINE, there()), Action::Bind(Connection(2), 0, false)].into(),
        answers: vec![
            ("Opened", Action::Send(LINE, vec![0; 100_000])),
            ("Opened", Action::WantRoom(LINE, 60_000)),
        ],
        ..Noting::default()
    };
    let (mut wire, server, client) = joined(server, client);
    assert_eq!(notes(&wire, server).len(), 3);
    assert_eq!(notes(&wire, client).len(), 2, "no room while the server does not read");
    let let_go = IpEndpoint { port: 9, ..there() };
    wire.perform(client, Action::SendTo(Connection(2), let_go, vec![1]));
    wire.run_until(Picoseconds::new(2_000 * DELAY.ps()));
    let received = notes(&wire, server).iter().filter(|note| note.1 == "Received").count();
    assert_eq!(received, 65_536usize.div_ceil(1460) + 34_464usize.div_ceil(1460));
    assert_eq!(notes(&wire, client)[2].1, "Room");
}

#[test]
fn a_port_without_listener_refuses_and_an_abort_resets() {
    let client = Noting { actions: [Action::Connect(LINE, there())].into(), ..Noting::default() };
    let (wire, _, number) = joined(Noting::default(), client.clone());
    let heard = &wire.machine::<Noting>(number).unwrap().notes[1].1;
    assert_eq!(heard, "Closed(Connection(1), Some(\"connection refused at 10.0.0.1:7\"))");
    let server = Noting {
        actions: [Action::Listen(LINE, 7)].into(),
        answers: vec![("Accepted", Action::Abort(accepted()))],
        ..Noting::default()
    };
    let (wire, server, number) = joined(server, client);
    assert_eq!(notes(&wire, number), [(0, "Wake"), (2, "Opened"), (2, "Closed")]);
    assert_eq!(notes(&wire, server).len(), 3);
}

#[test]
fn a_broadcast_reaches_all_others_and_echo_comes_back_from_addresses_that_exist() {
    let server = Noting { actions: [Action::Bind(LINE, 67, true)].into(), ..Noting::default() };
    let everybody = IpEndpoint::new(Ipv4Addr::BROADCAST, 67);
    let echo = |to| Action::EchoRequest { to, identifier: 1, sequence: 2, payload: vec![3] };
    let client = Noting {
        actions: [
            Action::Bind(LINE, 67, true),
            Action::SendTo(LINE, everybody, vec![1]),
            echo(there().address),
            echo(Ipv4Addr::new(10, 0, 0, 9).into()),
        ]
        .into(),
        ..Noting::default()
    };
    let (wire, server, client) = joined(server, client);
    assert_eq!(notes(&wire, server), [(0, "Wake"), (1, "Datagram")]);
    assert_eq!(notes(&wire, client), [(0, "Wake"), (2, "EchoReply")]);
}

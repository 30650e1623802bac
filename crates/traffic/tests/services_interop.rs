//! The PC's services on this computer's own sockets, over loopback, with clients that others wrote: Debian's mosquitto-clients
//! and libcoap. Where a tool is not installed, its test says so and passes.

use std::io::{Read, Write};
use std::net::Ipv4Addr;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use traffic::os::{Seat, Until};
use traffic::{Connection, Machine, coap, mqtt};

const COAP_CLIENT: &str = "coap-client-notls";

/// A service on loopback until it is dropped.
struct Running {
    port: u16,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start(machine: impl Machine) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let (told, port) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut seat = Seat::at(Ipv4Addr::LOCALHOST).unwrap();
            let number = seat.add_background(Box::new(machine));
            told.send(seat.local_port(number, Connection(0)).expect("it listens at once")).unwrap();
            seat.run(Until { deadline: None, stop: Some(&flag) }).unwrap();
        });
        Self { port: port.recv().unwrap(), stop, thread: Some(thread) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(
            std::thread::panicking() || matches!(ended, Some(Ok(()))),
            "the seat ends when it is told to"
        );
    }
}

/// None, with a word, where a tool is not installed.
fn installed(tool: &str) -> Option<()> {
    let there = Command::new(tool).arg("-h").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        testing::leave_out(&format!("{tool} is not installed"));
    }
    there.then_some(())
}

fn mosquitto(tool: &str, port: u16, arguments: &[&str]) -> Command {
    let mut command = Command::new(tool);
    command.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-V", "mqttv311"]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn publish(port: u16, arguments: &[&str]) {
    said(&mosquitto("mosquitto_pub", port, arguments).output().unwrap());
}

/// A subscriber whose subscriptions stand: it has printed a retained message that was there before it.
fn subscriber(port: u16, topic: &str, arguments: &[&str]) -> Child {
    publish(port, &["-t", topic, "-m", "ready", "-r", "-q", "1"]);
    let mut child = mosquitto("mosquitto_sub", port, &[&["-t", topic], arguments].concat()).spawn().unwrap();
    let mut line = Vec::new();
    let stdout = child.stdout.as_mut().unwrap();
    while line.last() != Some(&b'\n') {
        let mut byte = [0];
        stdout.read_exact(&mut byte).expect("the subscriber prints the retained message");
        line.push(byte[0]);
    }
    assert!(line.ends_with(b"ready\n"), "{line:?}");
    child
}

fn broker() -> Running {
    Running::start(mqtt::Broker::new(mqtt::Settings { port: 0, ..mqtt::Settings::default() }))
}

#[test]
fn mosquitto_publishes_with_every_quality_and_mosquitto_subscribes() {
    let Some(()) = installed("mosquitto_sub") else { return };
    let broker = broker();
    let arguments = ["-t", "room/+/temperature", "-q", "2", "-C", "3", "-W", "20", "-v", "-i", "watcher"];
    let subscriber = subscriber(broker.port, "ready", &arguments);
    publish(broker.port, &["-t", "room/1/temperature", "-m", "20.5", "-q", "0"]);
    publish(broker.port, &["-t", "room/1/humidity", "-m", "40", "-q", "1"]);
    publish(broker.port, &["-t", "room/2/temperature", "-m", "21", "-q", "2"]);
    let text = said(&subscriber.wait_with_output().unwrap());
    assert_eq!(text, "room/1/temperature 20.5\nroom/2/temperature 21\n");
}

#[test]
fn a_message_of_100000_bytes_arrives_whole_and_many_in_order() {
    let Some(()) = installed("mosquitto_sub") else { return };
    let broker = broker();
    let arguments = ["-t", "big", "-t", "many", "-q", "1", "-C", "202", "-W", "30"];
    let subscriber = subscriber(broker.port, "ready", &arguments);
    let big = "0123456789".repeat(10_000);
    publish(broker.port, &["-t", "big", "-m", &big, "-q", "1"]);
    let lines: String = (0..200).map(|line| format!("line {line}\n")).collect();
    let mut many = mosquitto("mosquitto_pub", broker.port, &["-t", "many", "-l", "-q", "1"]);
    let mut many = many.stdin(Stdio::piped()).spawn().unwrap();
    many.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    said(&many.wait_with_output().unwrap());
    assert_eq!(said(&subscriber.wait_with_output().unwrap()), format!("{big}\n{lines}"));
}

#[test]
fn mosquittos_persistent_session_gets_what_was_published_while_it_was_away() {
    let Some(()) = installed("mosquitto_sub") else { return };
    let broker = broker();
    let session = ["-c", "-i", "absent", "-q", "1", "-t", "mail"];
    said(&mosquitto("mosquitto_sub", broker.port, &[&session[..], &["-E"]].concat()).output().unwrap());
    publish(broker.port, &["-t", "mail", "-m", "for you", "-q", "1"]);
    let back = [&session[..], &["-C", "1", "-W", "20"]].concat();
    assert_eq!(said(&mosquitto("mosquitto_sub", broker.port, &back).output().unwrap()), "for you\n");
}

#[test]
fn mosquittos_will_goes_out_when_it_is_killed() {
    let Some(()) = installed("mosquitto_sub") else { return };
    let broker = broker();
    let watcher = subscriber(broker.port, "status", &["-C", "2", "-W", "20"]);
    let will = ["--will-topic", "status", "--will-payload", "lost", "-i", "mortal"];
    let mut mortal = subscriber(broker.port, "nothing", &will);
    mortal.kill().unwrap();
    mortal.wait().unwrap();
    assert_eq!(said(&watcher.wait_with_output().unwrap()), "lost\n");
}

#[test]
fn mosquitto_is_told_why_it_is_refused() {
    let Some(()) = installed("mosquitto_pub") else { return };
    let (user, password) = ("board".to_owned(), "secret".to_owned());
    let broker = Running::start(mqtt::Broker::new(mqtt::Settings {
        port: 0,
        user,
        password,
        ..mqtt::Settings::default()
    }));
    publish(broker.port, &["-t", "t", "-m", "x", "-u", "board", "-P", "secret"]);
    let refused = mosquitto("mosquitto_pub", broker.port, &["-t", "t", "-m", "x", "-u", "board", "-P", "no"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && text.contains("bad user name or password"), "{text}");
}

fn coap_server(settings: coap::Settings) -> Running {
    Running::start(coap::Server::new(coap::Settings { port: 0, ..settings }))
}

/// What libcoap's client prints; times out after 15 s.
fn coap_client(running: &Running, path: &str, arguments: &[&str]) -> String {
    let uri = format!("coap://127.0.0.1:{}/{path}", running.port);
    let output = Command::new(COAP_CLIENT).args(["-B", "15"]).args(arguments).arg(uri).output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim_end_matches('\n').to_owned()
}

#[test]
fn libcoap_gets_puts_posts_and_deletes() {
    let Some(()) = installed(COAP_CLIENT) else { return };
    let server = coap_server(coap::Settings::default());
    assert_eq!(coap_client(&server, "hello", &["-m", "get"]), "Hello world!");
    assert_eq!(coap_client(&server, "hello", &["-m", "get", "-N"]), "Hello world!");
    assert_eq!(coap_client(&server, "store/lamp", &["-m", "put", "-e", "on"]), "");
    assert_eq!(coap_client(&server, "store/lamp", &["-m", "get"]), "on");
    assert_eq!(coap_client(&server, "store/lamp", &["-m", "delete"]), "");
    assert!(coap_client(&server, "store/lamp", &["-m", "get"]).contains("4.04"));
    assert_eq!(coap_client(&server, "echo", &["-m", "post", "-e", "again"]), "again");
    assert!(coap_client(&server, "hello", &["-m", "delete"]).contains("4.05"));
}

#[test]
fn libcoap_discovers_the_resources() {
    let Some(()) = installed(COAP_CLIENT) else { return };
    let server = coap_server(coap::Settings::default());
    let text = coap_client(&server, ".well-known/core", &["-m", "get"]);
    assert!(text.contains("</hello>;rt=\"hello\"") && text.contains("</large>"), "{text}");
    let filtered = coap_client(&server, ".well-known/core?rt=ticks", &["-m", "get"]);
    assert_eq!(filtered, "</ticks>;rt=\"ticks\";ct=0;obs");
}

#[test]
fn libcoap_gets_and_puts_large_bodies_in_blocks_of_any_size() {
    let Some(()) = installed(COAP_CLIENT) else { return };
    let server = coap_server(coap::Settings { large_bytes: 5000, ..coap::Settings::default() });
    let lines: String = (0..5000 / 16 + 1).map(|line| format!("{:015}\n", line * 16)).collect();
    let large = &lines[..5000];
    for arguments in [&["-m", "get"][..], &["-m", "get", "-b", "64"], &["-m", "get", "-b", "512"]] {
        assert_eq!(coap_client(&server, "large", arguments), large.trim_end_matches('\n'), "{arguments:?}");
    }
    for (name, blocks) in [("a", &[][..]), ("b", &["-b", "128"])] {
        let path = format!("store/{name}");
        assert_eq!(coap_client(&server, &path, &[&["-m", "put", "-e", large][..], blocks].concat()), "");
        assert_eq!(coap_client(&server, &path, &["-m", "get"]), large.trim_end_matches('\n'), "{blocks:?}");
    }
}

#[test]
fn libcoap_waits_for_a_separate_response() {
    let Some(()) = installed(COAP_CLIENT) else { return };
    let separate = "300ms".parse().unwrap();
    let server = coap_server(coap::Settings { separate, ..coap::Settings::default() });
    assert_eq!(coap_client(&server, "hello", &["-m", "get"]), "Hello world!");
}

#[test]
fn libcoap_observes_the_ticks() {
    let Some(()) = installed(COAP_CLIENT) else { return };
    let server = coap_server(coap::Settings { tick: "200ms".parse().unwrap(), ..coap::Settings::default() });
    let text = coap_client(&server, "ticks", &["-m", "get", "-s", "2", "-w"]);
    let ticks: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(ticks.len() >= 5 && ticks.windows(2).all(|pair| pair[1] == pair[0] + 1), "{text}");
}

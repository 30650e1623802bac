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

#[test]
fn mosquitto_speaks_mqtt_3_1_to_the_broker() {
    let Some(()) = installed("mosquitto_pub") else { return };
    let broker = broker();
    let old = |arguments: &[&str]| {
        let mut command = Command::new("mosquitto_pub");
        command
            .args(["-h", "127.0.0.1", "-p", &broker.port.to_string(), "-V", "mqttv31", "-i", "old"])
            .args(arguments);
        said(&command.stdin(Stdio::null()).stderr(Stdio::piped()).output().unwrap())
    };
    old(&["-t", "kept", "-m", "from 3.1", "-r", "-q", "2"]);
    let mut reader = mosquitto("mosquitto_sub", broker.port, &["-t", "kept", "-C", "1", "-W", "20"]);
    assert_eq!(said(&reader.output().unwrap()), "from 3.1\n");
}

/// A script of Python's standard library, which talks to a port on loopback; what it prints.
fn python(port: u16, script: &str) -> Option<String> {
    let there = Command::new("python3").arg("-V").stdout(Stdio::null()).status().is_ok();
    if !there {
        testing::leave_out("python3 is not installed");
        return None;
    }
    let mut command = Command::new("python3");
    Some(said(&command.args(["-c", script, &port.to_string()]).stderr(Stdio::piped()).output().unwrap()))
}

fn service(kind: &str, options: &[(&str, &str)]) -> Running {
    struct Boxed(Box<dyn Machine>);
    impl std::fmt::Debug for Boxed {
        fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.0.fmt(formatter)
        }
    }
    impl Machine for Boxed {
        fn handle(&mut self, now: units::Picoseconds, event: traffic::Event<'_>) {
            self.0.handle(now, event);
        }
        fn poll(&mut self) -> Option<traffic::Action> {
            // A port that the system chooses: none below 1024 is anybody's.
            self.0.poll().map(|action| match action {
                traffic::Action::Listen(listener @ Connection(0), _) => traffic::Action::Listen(listener, 0),
                traffic::Action::Bind(socket @ Connection(0), _, everyone) => {
                    traffic::Action::Bind(socket, 0, everyone)
                }
                action => action,
            })
        }
        fn wake_at(&self) -> Option<units::Picoseconds> {
            self.0.wake_at()
        }
        fn boxed_clone(&self) -> Box<dyn Machine> {
            self.0.boxed_clone()
        }
    }
    Running::start(Boxed(traffic::machine(kind, options).unwrap()))
}

const FTP: &str = r"
import ftplib, io, sys
ftp = ftplib.FTP()
ftp.connect('127.0.0.1', int(sys.argv[1]), timeout=10)
print(ftp.login('board', 'secret'))
for passive in (True, False):
    ftp.set_pasv(passive)
    ftp.storbinary('STOR data.bin', io.BytesIO(bytes(range(256)) * 400))
    back = io.BytesIO()
    ftp.retrbinary('RETR data.bin', back.write)
    print(back.getvalue() == bytes(range(256)) * 400, ftp.nlst(), ftp.size('data.bin'))
    rest = io.BytesIO()
    ftp.retrbinary('RETR data.bin', rest.write, rest=102390)
    ftp.storbinary('APPE data.bin', io.BytesIO(b'tail'))
    print(len(rest.getvalue()), ftp.size('data.bin'))
    ftp.rename('data.bin', 'other.bin')
    ftp.delete('other.bin')
ftp.mkd('logs'); ftp.cwd('logs'); print(ftp.pwd()); ftp.cwd('..'); ftp.rmd('logs')
try:
    ftp.retrbinary('RETR none', print)
except ftplib.error_perm as error:
    print(error)
lines = []
ftp.retrlines('LIST', lines.append)
print(lines)
print(ftp.quit())
";

#[test]
fn pythons_ftplib_stores_and_retrieves_in_passive_and_active_mode() {
    // Of the ports for data some are taken; if by another program already, all the better.
    let _taken = [50_001, 50_002, 50_004].map(|port| std::net::TcpListener::bind(("127.0.0.1", port)));
    let server = service("ftp", &[("user", "board"), ("password", "secret"), ("files", "readme.txt=10B")]);
    let Some(text) = python(server.port, FTP) else { return };
    let each = "True ['data.bin', 'readme.txt'] 102400\n10 102404\n";
    let rest = "/logs\n550 There is no such file or folder.\n['-rw-r--r-- 1 ftp ftp         10 Jan  1  2024 readme.txt']\n221 Goodbye.\n";
    assert_eq!(text, format!("230 Welcome.\n{each}{each}{rest}"));
}

/// What curl reads from the TFTP server, or writes to it, with these arguments; the URL has the file's name.
fn curl_over_tftp(port: u16, name: &str, arguments: &[&str]) -> Output {
    let url = format!("tftp://127.0.0.1:{port}/{name}");
    Command::new("curl")
        .args(["--silent", "--show-error", "--max-time", "20"])
        .args(arguments)
        .arg(url)
        .output()
        .unwrap()
}

#[test]
fn curl_reads_and_writes_files_over_tftp() {
    let Some(()) = installed("curl") else { return };
    let folder = std::env::temp_dir().join(format!("airwire-tftp-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("firmware.bin");
    let contents: Vec<u8> = (0..40_000_u32).flat_map(u32::to_le_bytes).collect();
    std::fs::write(&file, &contents).unwrap();
    let file = file.to_str().unwrap();
    let server = service("tftp", &[("file", file)]);
    for arguments in
        [&["--tftp-blksize", "1428"][..], &["--tftp-blksize", "65464"], &["--tftp-no-options"], &[]]
    {
        let read = curl_over_tftp(server.port, "firmware.bin", arguments);
        assert!(read.status.success() && read.stdout == contents, "{arguments:?}: {:?}", read.stderr);
        let name = format!("copy-{}", arguments.len());
        let written = curl_over_tftp(server.port, &name, &[arguments, &["--upload-file", file]].concat());
        assert!(written.status.success(), "{written:?}");
        let back = curl_over_tftp(server.port, &name, &[]);
        assert!(back.status.success() && back.stdout == contents, "{arguments:?}: {:?}", back.stderr);
    }
    let missing = curl_over_tftp(server.port, "none.bin", &[]);
    // curl(1): TFTP error, file not found.
    assert_eq!(missing.status.code(), Some(68), "{missing:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

const TLS: &str = r"
import socket, ssl, sys
def talk(context, name):
    raw = socket.create_connection(('127.0.0.1', int(sys.argv[1])), timeout=10)
    tls = context.wrap_socket(raw, server_hostname=name)
    sent = bytes(range(256)) * 500
    came = b''
    for at in range(0, len(sent), 10000):
        tls.sendall(sent[at:at + 10000])
        while len(came) < min(at + 10000, len(sent)):
            came += tls.recv(65536)
    print(tls.version(), tls.cipher()[0], came == sent)
    chain = tls.getpeercert(True)
    tls.unwrap().close()
    return chain
any_certificate = ssl.create_default_context()
any_certificate.check_hostname = False
any_certificate.verify_mode = ssl.CERT_NONE
talk(any_certificate, 'pc.airwire.test')
any_certificate.maximum_version = ssl.TLSVersion.TLSv1_2
again = [talk(any_certificate, 'pc.airwire.test') for _ in range(2)]
print(again[0] == again[1])
strict = ssl.create_default_context()
try:
    talk(strict, 'pc.airwire.test')
except ssl.SSLCertVerificationError as error:
    print(error.verify_message)
";

#[test]
fn pythons_ssl_echoes_over_tls_1_3_and_1_2_and_knows_an_unknown_authority() {
    let server = service("tls-echo", &[("record_size", "4KiB")]);
    let Some(text) = python(server.port, TLS) else { return };
    let old = "TLSv1.2 ECDHE-ECDSA-AES128-GCM-SHA256 True\n";
    let expected = format!(
        "TLSv1.3 TLS_AES_128_GCM_SHA256 True\n{old}{old}True\nself-signed certificate in certificate chain\n"
    );
    assert_eq!(text, expected);
}

const HTTPS: &str = r"
import ssl, sys, urllib.request
context = ssl._create_unverified_context()
page = urllib.request.urlopen(f'https://127.0.0.1:{sys.argv[1]}/', context=context, timeout=10)
print(page.status, len(page.read()))
";

#[test]
fn pythons_urllib_reads_a_page_over_https() {
    let server = service("https-server", &[("size", "100KiB")]);
    let Some(text) = python(server.port, HTTPS) else { return };
    assert_eq!(text, "200 102400\n");
}

/// A folder with a certificate for this computer: cert.pem, and both.pem with its key beside it.
struct Certificate(std::path::PathBuf);

impl Certificate {
    fn made(name: &str) -> Option<Self> {
        let folder = std::env::temp_dir().join(format!("airwire-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let made = Self(folder);
        let arguments = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=board -addext subjectAltName=IP:127.0.0.1";
        let mut openssl = Command::new("openssl");
        openssl.args(arguments.split(' ')).args([
            "-keyout",
            &made.path("key.pem"),
            "-out",
            &made.path("cert.pem"),
        ]);
        let status = openssl.stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !status.is_ok_and(|status| status.success()) {
            testing::leave_out("openssl is not installed");
            return None;
        }
        let read = |name| std::fs::read(made.path(name)).unwrap();
        std::fs::write(made.path("both.pem"), [read("cert.pem"), read("key.pem")].concat()).unwrap();
        Some(made)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Certificate {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_certificate_of_the_users_is_verified_by_name() {
    let Some(certificate) = Certificate::made("https") else { return };
    let server = service("https-server", &[("certificate", &certificate.path("both.pem"))]);
    let context = format!("ssl.create_default_context(cafile={:?})", certificate.path("cert.pem"));
    let text = python(server.port, &HTTPS.replace("ssl._create_unverified_context()", &context));
    assert!(text.is_none_or(|text| text == "200 137\n"));
}

#[test]
fn mosquitto_publishes_over_tls() {
    let Some(()) = installed("mosquitto_pub") else { return };
    let Some(certificate) = Certificate::made("mqtts") else { return };
    let broker = service("mqtts", &[("certificate", &certificate.path("both.pem"))]);
    let authority = certificate.path("cert.pem");
    let secured = |tool: &str, arguments: &[&str]| {
        let arguments = [&["--cafile", &authority], arguments].concat();
        said(&mosquitto(tool, broker.port, &arguments).output().unwrap())
    };
    secured("mosquitto_pub", &["-t", "kept", "-m", "behind TLS", "-r", "-q", "1"]);
    assert_eq!(secured("mosquitto_sub", &["-t", "kept", "-C", "1", "-W", "20"]), "behind TLS\n");
}
